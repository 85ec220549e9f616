/** The services that every route gets, created once for each process by main.ts or by a test. */
import type { Db } from '../../db/connection.js';
import type { Config } from '../config/config.js';
import type { AccessRecorder } from '../domain/access/access-recorder.js';
import type { Authenticator } from '../domain/access/authenticate.js';
import type { QuotaKeeper } from '../domain/access/quota-keeper.js';
import type { FeedWatch } from '../domain/changes/watch-feed.js';
import type { ApprovalRules } from '../domain/settings/approval-rules.js';
import type { Targets } from '../domain/webhooks/targets.js';
import type { FileStore } from '../platform/file-store.js';
import type { FailureBackoff } from '../platform/limits/failure-backoff.js';
import type { Permits } from '../platform/limits/permits.js';
import type { Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import type { Producer } from '../queues/producer.js';
import type { AcceptJob } from './accept-in-batches.js';
import type { ClientAddresses } from './client-address.js';
import type { IdentityProvider } from './identity-provider.js';
import type { JobEnds } from './job-ends.js';
import type { GrantInTurn } from './limits/grant-turns.js';
import type { Readiness } from './readiness.js';

export interface ApiServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly producer: Producer;
  readonly fileStore: FileStore;
  /** Checks the addresses of webhooks, and calls targets for tests. */
  readonly targets: Targets;
  /** Knows tokens and sessions. */
  readonly tokens: Authenticator;
  /** Accepts a job, together with those of other requests. */
  readonly acceptJob: AcceptJob;
  /** What the accounts with quotas use. */
  readonly quotas: QuotaKeeper;
  /** Which jobs need an approval. */
  readonly approvalRules: ApprovalRules;
  /** Waits for jobs to end, for `Prefer: wait`. */
  readonly jobEnds: JobEnds;
  /** Waits for changes of a site, for readers of its feed. */
  readonly feedWatch: FeedWatch;
  /** Says which address a request comes from, for limits by address. */
  readonly addresses: ClientAddresses;
  /** Wrong secrets of OAuth clients, by address and client. */
  readonly clientFailures: FailureBackoff;
  /** Wrong tokens and codes with which somebody tried to log in, by address. */
  readonly loginFailures: FailureBackoff;
  /** Limits the connections to the database that requests for tokens and sessions use: anybody may send them. */
  readonly grantInTurn: GrantInTurn;
  /** By which people log in; null: by tokens and links only. */
  readonly provider: IdentityProvider | null;
  /** Limits the logins by the provider: each waits for what it answers. */
  readonly askInTurn: GrantInTurn;
  /** One template is written at a time, in turns of the accounts: several at once only make the turns of the event loop longer. */
  readonly templatePermits: Permits;
  /** Notes which tokens are used and which requests are refused. */
  readonly recorder: AccessRecorder;
  /** What works, as checked in the background. */
  readonly readiness: Readiness;
  /** The address of this API for clients, without a trailing slash. Signed URLs begin with it. */
  readonly publicUrl: () => string;
  /** Aborted when the process begins to stop: requests that wait for a job are then answered. */
  readonly stopping: AbortSignal;
}
