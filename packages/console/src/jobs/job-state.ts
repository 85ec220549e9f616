/** What a job's state means, in words and in a colour. */
import type { Job } from '@longshore/client';
import type { Tone } from '../components/content.js';
import { textsOf } from '../texts/texts.js';

export const useJobText = textsOf('job-state', {
  AWAITING_UPLOAD: { en: 'Waiting for the file', de: 'Wartet auf die Datei' },
  AWAITING_PROFILE: { en: 'To be mapped', de: 'Noch zuzuordnen' },
  AWAITING_APPROVAL: { en: 'Needs approval', de: 'Braucht Freigabe' },
  SCHEDULED: { en: 'Waiting', de: 'Wartet' },
  IN_PROGRESS: { en: 'Running', de: 'Läuft' },
  COMPLETED: { en: 'Done', de: 'Fertig' },
  COMPLETED_PARTIALLY: { en: 'Some rows failed', de: 'Teils fehlgeschlagen' },
  notRemoved: { en: 'Nothing removed', de: 'Nichts entfernt' },
  someKept: { en: 'Some items stay', de: 'Einige Artikel bleiben' },
  REJECTED: { en: 'Rejected', de: 'Abgelehnt' },
  FAILED: { en: 'Failed', de: 'Fehlgeschlagen' },
  CANCELLATION_IN_PROGRESS: { en: 'Being cancelled', de: 'Wird abgebrochen' },
  CANCELLED: { en: 'Cancelled', de: 'Abgebrochen' },
  EXPIRED: { en: 'Expired', de: 'Abgelaufen' },
  preview: { en: 'Preview', de: 'Vorschau' },
  undo: { en: 'Undo', de: 'Rücknahme' },
  items: { en: 'Items', de: 'Artikel' },
  bundles: { en: 'Bundles', de: 'Sets' },
  attributes: { en: 'Attributes', de: 'Attribute' },
  categories: { en: 'Categories', de: 'Kategorien' },
  other: { en: 'Job', de: 'Auftrag' },
  request: { en: 'Rows of a request', de: 'Zeilen einer Anfrage' },
});

const TONES: Readonly<Record<Job['status'], Tone>> = {
  AWAITING_UPLOAD: 'neutral',
  AWAITING_PROFILE: 'warn',
  AWAITING_APPROVAL: 'warn',
  SCHEDULED: 'busy',
  IN_PROGRESS: 'busy',
  COMPLETED: 'good',
  COMPLETED_PARTIALLY: 'warn',
  REJECTED: 'bad',
  FAILED: 'bad',
  CANCELLATION_IN_PROGRESS: 'neutral',
  CANCELLED: 'neutral',
  EXPIRED: 'neutral',
};

export function toneOf({ status, progressTracker }: Job): Tone {
  return status === 'COMPLETED' && progressTracker.errorCount > 0 ? 'warn' : TONES[status];
}

/** Why nothing of what the file lacks was removed: the brake holds, or what the snapshot names is not there any more. */
const REMOVAL_REFUSED: readonly (string | null)[] = ['SNAPSHOT_BRAKE', 'SNAPSHOT_REFUSED'];

/** The state as it is named: a job may be done in part although no row has failed. */
export function stateOf({ status, reason, progressTracker }: Job) {
  if (status !== 'COMPLETED_PARTIALLY' || progressTracker.errorCount > 0) return status;
  return REMOVAL_REFUSED.includes(reason) ? 'notRemoved' : 'someKept';
}

/** How many items a job has changed, or would change, also those that its file lacks. */
export function changedItems({ progressTracker: { createdCount, updatedCount }, removal }: Job): number {
  return createdCount + updatedCount + (removal?.removed ?? 0);
}

export function hasEnded({ completedAt }: Job): boolean {
  return completedAt !== null;
}

export function isPreview({ options }: Job): boolean {
  return options.validateOnly === true;
}

/** Whether it was to be approved first, and never was: nothing that it has shown was written. */
export function isUnapproved({ options, decision }: Job): boolean {
  return options.requireApproval === true && decision?.approved !== true;
}

/** What a job that waited for an approval says when it was cancelled. No other part of the answer tells it from one that never began. */
const CANCELLED_WHILE_IT_WAITED = /^cancelled on request while it waited for an approval/;

/** Whether it has waited for an approval and ended without one: it has shown what was not written. */
export function wasOnlyShown(job: Job): boolean {
  const { status, reason, statusMessage, progressTracker } = job;
  if (!isUnapproved(job)) return false;
  if (status === 'REJECTED') return reason === 'NOT_APPROVED';
  if (status === 'CANCELLED') return CANCELLED_WHILE_IT_WAITED.test(statusMessage ?? '');
  return status === 'EXPIRED' && progressTracker.totalCount !== null;
}

/** Whether it has ended and none of its rows is written: not even those without a mistake. */
export function hasWrittenNothing(job: Job): boolean {
  return job.status === 'REJECTED' || wasOnlyShown(job);
}

/** Whether its rows are applied, and what its file lacks waits for an approval. */
export function waitsForRemoval({ status, removal }: Job): boolean {
  return status === 'AWAITING_APPROVAL' && removal?.waits === true;
}

type Kind = 'items' | 'bundles' | 'attributes' | 'categories' | 'undo' | 'other';

/** What a job's rows are. */
export function kindOf({ type }: Job): Kind {
  if (type.startsWith('REVERT')) return 'undo';
  if (type.startsWith('BUNDLE')) return 'bundles';
  if (type.startsWith('ATTRIBUTE')) return 'attributes';
  if (type.startsWith('CATEGORY')) return 'categories';
  return /^(?:ITEM|PRODUCT)/.test(type) ? 'items' : 'other';
}

/** How many rows of a job have been judged, from 0 to 1; undefined: it is not known how many there are. */
export function shareOf({ progressTracker: { totalCount, processedCount } }: Job): number | undefined {
  return totalCount === null || totalCount === 0 ? undefined : Math.min(processedCount / totalCount, 1);
}

/** As one knows a job: by its file, if it has one that somebody has sent. */
export function nameOf(job: Job, state: ReturnType<typeof useJobText>): string {
  if (kindOf(job) === 'undo') return state('undo');
  return job.inputFileName ?? state('request');
}
