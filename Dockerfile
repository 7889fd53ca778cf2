# One image for every service of docker-compose.yml: sink, builder, workers. Built from the checkout, never published.
FROM python:3.11-slim

RUN useradd --create-home flywheel
WORKDIR /app
COPY requirements.lock ./
RUN python -m pip install --no-cache-dir "$(grep '^uv==' requirements.lock)" \
 && uv pip install --system --no-cache --no-deps -r requirements.lock
COPY . .
RUN uv pip install --system --no-cache --no-deps --no-build-isolation --editable . \
 && mkdir /home/flywheel/home && chown flywheel:flywheel /home/flywheel/home

USER flywheel
ENV FLYWHEEL_HOME=/home/flywheel/home PYTHONUNBUFFERED=1
ENTRYPOINT ["flywheel"]
CMD ["--help"]
