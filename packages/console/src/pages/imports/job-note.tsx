/** What stands below the name of an import: its state, when and how it was done, and by whom. */
import type { Job } from '@longshore/client';
import { Link, useParams } from '@tanstack/react-router';
import { Badge } from '../../components/content.js';
import { isPreview, kindOf, stateOf, toneOf, useJobText } from '../../jobs/job-state.js';
import { useFormat } from '../../texts/format.js';
import { textsOf } from '../../texts/texts.js';
import { useJobOptions } from './job-options.js';
import { Who } from './who.js';

const useText = textsOf('job-note', {
  began: { en: '{when}, took {duration}', de: '{when}, Dauer {duration}' },
  since: { en: 'since {when}', de: 'seit {when}' },
  profile: { en: 'read by the profile {name}', de: 'gelesen mit dem Profil {name}' },
  corrects: { en: 'Corrects rows of an earlier import', de: 'Korrigiert Zeilen eines früheren Imports' },
});

export function JobNote({ job }: { readonly job: Job }) {
  const t = useText();
  const state = useJobText();
  const format = useFormat();
  const { stage } = useParams({ from: '/$stage/imports/$jobId' });
  const { createdAt, startedAt, completedAt, profile, options } = job;
  const took =
    startedAt === null || completedAt === null
      ? undefined
      : new Date(completedAt).getTime() - new Date(startedAt).getTime();
  const how = useJobOptions()(job);
  const earlier = typeof options.retryOf === 'string' ? options.retryOf : undefined;
  return (
    <span className="job-note">
      <Badge tone={toneOf(job)}>{state(stateOf(job))}</Badge>
      {isPreview(job) ? <Badge tone="neutral">{state('preview')}</Badge> : null}
      <span>
        {createdAt === null
          ? null
          : took === undefined
            ? t('since', { when: format.time(createdAt) })
            : t('began', { when: format.time(createdAt), duration: format.duration(took) })}
        {profile?.name === undefined || profile.name === null ? null : ` · ${t('profile', { name: profile.name })}`}
        <Who job={job} />
      </span>
      {how.length === 0 || kindOf(job) === 'undo' ? null : <bdi className="small">{how.join(' · ')}</bdi>}
      {earlier === undefined ? null : (
        <Link to="/$stage/imports/$jobId" params={{ stage, jobId: earlier }}>
          {t('corrects')}
        </Link>
      )}
    </span>
  );
}
