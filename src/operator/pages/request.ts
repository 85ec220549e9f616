/** What a page gets: the services of the process, and the request of a browser. */
import type { Db } from '../../../db/connection.js';
import type { Config } from '../../config/config.js';
import type { Actor } from '../../domain/access/audit.js';
import type { FileStore } from '../../platform/file-store.js';
import type { Logger } from '../../platform/logger.js';
import type { Producer } from '../../queues/producer.js';
import type { Forms } from '../view/forms.js';
import type { NowView } from '../view/now-page.js';

export interface PageServices {
  readonly config: Config;
  readonly db: Db;
  readonly logger: Logger;
  readonly producer: Producer;
  readonly fileStore: FileStore;
  /** What works, as checked in the background. */
  readonly readiness: { report(): Promise<{ readonly parts: NowView['parts'] }> };
}

export interface PageRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The fields of a form that was sent. */
  readonly form: Readonly<Record<string, string>>;
  /** The operator. */
  readonly actor: Actor;
}

export interface Asking extends PageServices {
  readonly request: PageRequest;
  readonly forms: Forms;
  readonly now: Date;
  readonly id: string;
}
