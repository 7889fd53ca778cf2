{% set text_columns = 'event_key as sample_id, conversation_id, checkpoint_id, target_kind, target_id, text, prompt, completion, is_negative' %}

with labelled_for_evals as (
    select *
    from {{ ref('int_evidence') }}
    where side = 'eval'
        and is_negative is not null
        and text_hash not in (select text_hash from {{ ref('int_bridging_texts') }} where lost_by = 'eval')
        and event_key not in (select event_key from {{ ref('int_benchmark_evidence') }})
),

members as (
    select any_mode_id as asked_mode_id, count(*) as members
    from labelled_for_evals
    where any_mode_id is not null
    group by any_mode_id
),

-- A judge must also leave out what is of another mode, so each mode's eval holds as many texts that don't show it at all: a
-- judge names one mode, so the members are those that show it most clearly, and what shows it beside another is neither.
others as (
    select
        members.asked_mode_id,
        members.members,
        texts.*,
        row_number() over (
            partition by members.asked_mode_id order by md5(texts.event_key || members.asked_mode_id), texts.event_key
        ) as other_place
    from labelled_for_evals as texts
    inner join members on texts.any_mode_id is distinct from members.asked_mode_id
    left join {{ ref('fct_feedback_modes') }} as beside
        on texts.event_key = beside.event_key and members.asked_mode_id = beside.mode_id
    where beside.event_key is null
),

wanted as (
    select 'eval:all:judge' as spec_key, {{ text_columns }}, mode_id, false as is_contrast
    from labelled_for_evals

    union all

    select 'eval:' || any_mode_id || ':judge' as spec_key, {{ text_columns }}, any_mode_id as mode_id, false as is_contrast
    from labelled_for_evals
    where any_mode_id is not null

    union all

    select 'eval:' || asked_mode_id || ':judge' as spec_key, {{ text_columns }}, any_mode_id as mode_id, true as is_contrast
    from others
    where other_place <= members

    union all

    select
        'eval:' || scorers.mode_id || ':policy' as spec_key,
        responses.event_key as sample_id,
        responses.conversation_id,
        responses.checkpoint_id,
        'response' as target_kind,
        responses.response_id as target_id,
        cast(null as varchar) as text,
        responses.prompt,
        responses.completion,
        cast(null as boolean) as is_negative,
        scorers.mode_id,
        false as is_contrast
    from {{ ref('int_responses') }} as responses
    inner join {{ ref('int_response_sides') }} as sides on responses.response_id = sides.response_id
    inner join {{ ref('dim_checkpoints') }} as checkpoints
        on responses.checkpoint_id = checkpoints.checkpoint_id and checkpoints.role = 'policy' and checkpoints.counts
    cross join {{ ref('mode_scorers') }} as scorers
    where sides.side = 'eval' and responses.prompt is not null and responses.completion is not null
        and responses.event_key not in (select event_key from {{ ref('int_benchmark_evidence') }})

    union all

    select 'train:all:judge' as spec_key, {{ text_columns }}, mode_id, false as is_contrast
    from {{ ref('int_evidence') }}
    where side = 'training'
        and is_negative is not null
        and text_hash not in (select text_hash from {{ ref('int_bridging_texts') }} where lost_by = 'training')

    union all

    select
        'train:all:classifier' as spec_key,
        example_key as sample_id,
        cast(null as varchar) as conversation_id,
        cast(null as varchar) as checkpoint_id,
        cast(null as varchar) as target_kind,
        cast(null as varchar) as target_id,
        text,
        cast(null as varchar) as prompt,
        cast(null as varchar) as completion,
        cast(null as boolean) as is_negative,
        mode_id,
        false as is_contrast
    from {{ ref('int_classifier_examples') }}

    union all

    select 'judge:' || judges.checkpoint_id as spec_key, {{ text_columns | replace('checkpoint_id', 'evidence.checkpoint_id') }}, evidence.mode_id, false as is_contrast
    from {{ ref('int_evidence') }} as evidence
    cross join {{ ref('int_best_judge') }} as judges
    where evidence.is_negative is null
        and evidence.target_id is not null
        and not exists (
            select 1
            from {{ ref('int_judgements') }} as judgements
            where judgements.judged_key = evidence.event_key and judgements.checkpoint_id = judges.checkpoint_id
        )
),

placed as (
    select *, row_number() over (partition by spec_key order by md5(sample_id), sample_id) as place
    from wanted
)

select
    spec_key,
    sample_id,
    conversation_id,
    checkpoint_id,
    target_kind,
    target_id,
    text,
    prompt,
    completion,
    is_negative,
    mode_id,
    is_contrast
from placed
-- The classifier is what all its examples make: a draw of them would be another.
where place <= {{ var('samples_at_most') }} or spec_key = 'train:all:classifier'
