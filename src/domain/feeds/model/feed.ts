/** A feed as it is stored. */
import { z } from 'zod';
import type { Connection } from '../../../platform/remote/remote-folder.js';
import type { afterwardsSchema, FeedSettings, pickSchema } from './feed-settings.js';

/** Why the last run has failed. */
export const failureSchema = z.object({ code: z.string(), message: z.string() }).readonly();
export type FeedFailure = z.output<typeof failureSchema>;

/** Files, each by a digest of its name and version. */
interface SeenByLook {
  /** New ones, which are taken when the next look sees them unchanged. */
  readonly fresh: readonly string[];
  /** Those for which a run was started. */
  readonly tried: readonly string[];
}

/** The columns of a feed. jsonb was checked when it was saved. */
export interface FeedRow {
  readonly id: string;
  readonly site_id: number;
  readonly account_id: string;
  readonly channel: number | null;
  readonly direction: 'SOURCE';
  readonly name: string;
  readonly connection: Connection;
  readonly secrets: string | null;
  readonly file_type: FeedSettings['fileType'];
  readonly locale: string | null;
  readonly options: FeedSettings['options'];
  readonly pick: z.output<typeof pickSchema>;
  readonly afterwards: z.output<typeof afterwardsSchema>;
  readonly schedule: FeedSettings['schedule'];
  readonly expect_within_minutes: number | null;
  readonly expects_since: Date;
  readonly state: FeedSettings['state'];
  readonly pause_reason: string | null;
  readonly saved_by: string;
  readonly saved_by_client: string | null;
  readonly scopes: readonly string[];
  readonly version: number;
  readonly next_run_at: Date | null;
  /** Incremented when a look begins: what an earlier one has seen does not count any more. */
  readonly look: number;
  /** A look goes on, unless it has taken longer. */
  readonly look_until: Date | null;
  readonly looked_at: Date | null;
  /** What the last look has seen. */
  readonly looked: SeenByLook | null;
  /** When a run begins for which its address was called; null: for none. */
  readonly asked_for: Date | null;
  readonly last_job_id: string | null;
  readonly last_run_at: Date | null;
  readonly last_file_at: Date | null;
  readonly failures: number;
  readonly last_failure: FeedFailure | null;
  readonly created_at: Date;
  readonly updated_at: Date;
}

/** The actor of the jobs of a feed. */
export function actorOfFeed(id: string): string {
  return `feed:${id}`;
}
