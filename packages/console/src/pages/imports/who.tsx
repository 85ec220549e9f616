/** Who has sent a job, and who has approved or rejected it, with the note that was given. */
import type { Job } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('job-people', {
  sentBy: { en: 'sent by {name}', de: 'gesendet von {name}' },
  approvedBy: { en: 'approved by {name}', de: 'freigegeben von {name}' },
  rejectedBy: { en: 'rejected by {name}', de: 'abgelehnt von {name}' },
  withNote: { en: '{decision}: “{note}”', de: '{decision}: „{note}“' },
});

export function Who({ job }: { readonly job: Job }) {
  const t = useText();
  const { submittedBy } = job;
  const decision = useDecision(job);
  return (
    <>
      {submittedBy === null || submittedBy.name === null ? null : (
        <bdi> · {t('sentBy', { name: submittedBy.name })}</bdi>
      )}
      {decision === undefined ? null : <bdi> · {decision}</bdi>}
    </>
  );
}

/** The same in a column of a table. */
export function WhoInColumn({ job }: { readonly job: Job }) {
  const decision = useDecision(job);
  return (
    <>
      <bdi>{job.submittedBy?.name ?? '–'}</bdi>
      {decision === undefined ? null : <span className="decision">{decision}</span>}
    </>
  );
}

/** Undefined: nobody has decided, or it is not known any more who has. */
function useDecision({ decision }: Job): string | undefined {
  const t = useText();
  const name = decision?.by?.name ?? null;
  if (decision === null || name === null) return undefined;
  const said = t(decision.approved ? 'approvedBy' : 'rejectedBy', { name });
  return decision.note === null || decision.note === '' ? said : t('withNote', { decision: said, note: decision.note });
}
