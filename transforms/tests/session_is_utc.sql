-- Days and shown times are those of UTC, whatever the machine's zone: nothing is published otherwise.
select current_setting('TimeZone') as zone
where current_setting('TimeZone') <> 'UTC'
