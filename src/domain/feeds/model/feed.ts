/** A feed as it is stored. */
import { z } from 'zod';
import type { DestinationMembers } from './destination-settings.js';
import type { StoredFailure } from './feed-failure.js';
import type { DestinationSettings, FeedSettings, GivenExport, SourceSettings } from './feed-settings.js';

/** Why the last run has failed, as clients see it. */
export const failureSchema = z.object({ code: z.string(), message: z.string() }).readonly();

/** Files, each by a digest of its name and version. */
interface SeenByLook {
  /** New ones, which are taken when the next look sees them unchanged. */
  readonly fresh: readonly string[];
  /** Those for which a run was started. */
  readonly tried: readonly string[];
}

/** A file as it was when it was taken. */
export interface SeenFile {
  /** Where it was. */
  readonly url: string;
  /** By which names files were chosen. */
  readonly pattern: string;
  readonly name: string;
  readonly bytes: number | null;
  /** Not behind https: when it was taken, if that was earlier. */
  readonly modifiedAt: string | null;
  readonly version: string;
}

/** The columns that all feeds have. jsonb was checked when it was saved. */
interface FeedColumns {
  readonly id: string;
  readonly site_id: number;
  readonly account_id: string;
  readonly channel: number | null;
  readonly name: string;
  readonly secrets: string | null;
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
  readonly last_failure: StoredFailure | null;
  /** How many runs since the last planned one have left files that were not complete. */
  readonly left_over: number;
  /** Of a destination: imports of its source have ended since its last run began. */
  readonly after_ends: boolean;
  readonly created_at: Date;
  readonly updated_at: Date;
}

export interface SourceRow extends FeedColumns {
  readonly direction: 'SOURCE';
  readonly connection: SourceSettings['connection'];
  readonly file_type: SourceSettings['fileType'];
  readonly locale: string | null;
  readonly options: SourceSettings['options'];
  readonly pick: SourceSettings['pick'];
  readonly afterwards: SourceSettings['afterwards'];
  /** The file that was taken last, as it was listed: behind https, and where only the newest is taken. */
  readonly seen_file: SeenFile | null;
}

export interface DestinationRow extends FeedColumns {
  readonly direction: 'DESTINATION';
  readonly connection: DestinationSettings['connection'];
  readonly destination: DestinationMembers & { readonly export: GivenExport };
  readonly export_spec: unknown;
  readonly after_feed_id: string | null;
  readonly sent_cursor: string | null;
  readonly sequence: number;
}

/** A feed as it is stored: a source, or a destination. */
export type FeedRow = SourceRow | DestinationRow;

/** The actor of the jobs of a feed. */
export function actorOfFeed(id: string): string {
  return `feed:${id}`;
}
