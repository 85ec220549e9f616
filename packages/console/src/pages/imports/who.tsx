/** Who has sent a job, and who has approved or rejected it. */
import type { Job } from '@longshore/client';
import { textsOf } from '../../texts/texts.js';

const useText = textsOf('job-people', {
  sentBy: { en: 'sent by {name}', de: 'gesendet von {name}' },
  approvedBy: { en: 'approved by {name}', de: 'freigegeben von {name}' },
  rejectedBy: { en: 'rejected by {name}', de: 'abgelehnt von {name}' },
});

export function Who({ job: { submittedBy, decision } }: { readonly job: Job }) {
  const t = useText();
  const by = decision?.by?.name ?? null;
  return (
    <>
      {submittedBy === null || submittedBy.name === null ? null : (
        <bdi> · {t('sentBy', { name: submittedBy.name })}</bdi>
      )}
      {decision === null || by === null ? null : (
        <bdi> · {t(decision.approved ? 'approvedBy' : 'rejectedBy', { name: by })}</bdi>
      )}
    </>
  );
}
