/** The rows of actions, with their progress. */
import type { Actor } from '../../domain/access/audit.js';

export interface OperatorAction {
  readonly id: string;
  readonly action: string;
  readonly filter: unknown;
  readonly actor: Actor;
  readonly done: number;
  readonly refused: number;
  readonly refusals: readonly { readonly id: string; readonly message: string }[];
  /** Null: it has not ended. */
  readonly outcome: 'DONE' | 'STOPPED' | 'FAILED' | null;
  readonly message: string | null;
  readonly stopRequestedAt: Date | null;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
}

export interface ActionRow extends OperatorAction {
  /** The cursor of the last target. */
  readonly doneUpto: string;
}

export const COLUMNS = `id, action, filter, actor, done_upto AS "doneUpto", done, refused, refusals, outcome, message,
  stop_requested_at AS "stopRequestedAt", created_at AS "createdAt", started_at AS "startedAt",
  completed_at AS "completedAt"`;
