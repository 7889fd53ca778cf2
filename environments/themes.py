"""Words that worlds are furnished with: twelve workplaces, and the people in them. All made up."""

from typing import NamedTuple


class Theme(NamedTuple):
    """A workplace."""

    name: str
    place: str
    entry: str
    """What its books hold one of in each line."""
    things: tuple[str, ...]
    """What the entries are about."""
    services: tuple[str, ...]
    """Programs that run there; the later ones need the earlier ones."""

    @property
    def entries(self) -> str:
        """More than one of them."""
        return f"{self.entry}{'es' if self.entry.endswith('x') else 's'}"


def words(text: str) -> tuple[str, ...]:
    """The words of a text."""
    return tuple(text.split())


def _theme(name: str, place: str, entry: str, things: str, services: str) -> Theme:
    return Theme(name, place, entry, tuple(things.split(", ")), words(services))


THEMES = (
    _theme("bakery", "a bakery with four shops", "order",
           "rye loaf, seeded roll, plum cake, oat biscuit, cheese straw, malt bar, walnut bun, poppy ring, milk bread, "
           "onion tart", "oven-control recipe-store order-desk shop-screen van-planner invoice-maker"),
    _theme("clinic", "a clinic for knees and hips", "appointment",
           "first visit, x-ray, gait test, knee brace, plaster check, follow-up, physio hour, blood test, heel scan, "
           "crutch lesson", "record-store room-planner visit-desk reminder-sender lab-link bill-maker"),
    _theme("library", "a town library", "loan",
           "atlas, cookbook, opera score, chess manual, field guide, comic, photo book, lexicon, map folder, old diary",
           "catalogue-store shelf-finder loan-desk late-notice reader-page hall-screen"),
    _theme("shipyard", "a yard that mends ferries", "work order",
           "bow door, bilge pump, anchor chain, deck winch, fuel line, rudder pin, hatch seal, radar, rope, "
           "galley stove", "part-store dock-planner work-desk crane-control crew-page bill-printer"),
    _theme("orchard", "an orchard that sells by the crate", "delivery",
           "russet apple, quince, damson, greengage, pear, cherry, medlar, walnut, mulberry, plum",
           "cold-store harvest-log crate-desk truck-planner price-board stall-page"),
    _theme("theatre", "a theatre with two stages", "booking",
           "matinee seat, box seat, standing place, school group, coat check, programme, piano hire, stage tour, "
           "balcony seat, late supper", "seat-store stage-planner booking-desk ticket-press door-scanner foyer-screen"),
    _theme("observatory", "an observatory on a hill", "observation",
           "comet, double star, nebula, eclipse, lunar rim, supernova, asteroid, ring plane, star cluster, sunspot",
           "plate-store dome-control night-planner image-stacker alert-sender visitor-page"),
    _theme("laundry", "a laundry for hotels", "load",
           "bed sheet, bath towel, tablecloth, chef jacket, curtain, pillow case, bath robe, napkin, blanket, apron",
           "tag-store machine-control load-desk route-planner stain-log hotel-page"),
    _theme("railway", "a narrow railway through a valley", "trip",
           "milk run, school train, snow plough, dining car, mail van, night train, steam special, gravel train, "
           "relief train, bike wagon", "track-store signal-control trip-planner seat-desk platform-screen crew-roster"),
    _theme("museum", "a museum of clocks", "repair",
           "pendulum, cuckoo clock, sun dial, pocket watch, tower bell, water clock, spring, dial plate, hour glass, "
           "chime rod", "piece-store repair-log bench-planner gallery-guide loan-office visitor-screen"),
    _theme("farm-shop", "a farm that sends boxes of vegetables", "box",
           "leek, parsnip, chard, beetroot, kale, celeriac, fennel, squash, turnip, broad bean",
           "field-log box-store packing-desk round-planner card-payer member-page"),
    _theme("print-shop", "a shop that prints posters", "job",
           "concert poster, menu card, wall chart, street map, wedding card, book cover, sticker, flyer, calendar, "
           "name badge", "paper-store press-control proof-desk cutter-queue parcel-desk price-page"),
)  # fmt: skip

FIRST_NAMES = words(
    "Ada Bruno Carla Dmitri Elif Farid Greta Hugo Ines Jonas Kofi Lena Mira Nils Olga Pavel Rosa Sami Tove Umar Vera "
    "Wanda Yusuf Zoe"
)
LAST_NAMES = words(
    "Abara Bianchi Castel Dvorak Eriksen Fontaine Grigor Haldane Ibarra Jansen Kowalski Lindqvist Moreau Novak Okafor "
    "Petrov Quist Rossi Sandoval Tanaka Ulrich Varga Weber Zeller"
)
TOWNS = words(
    "Ashford Brenn Calder Dunmore Elstow Farrow Glenby Harwick Iverton Kelso Lowick Marden Norbury Orley Penrith "
    "Rushton"
)
