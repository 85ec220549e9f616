/** What a run of a destination has sent, and how its job ends. */
import type { JobEnd } from '../jobs/model/job-end.js';
import { storable } from '../kernel/characters.js';
import { counted } from '../kernel/counted.js';
import type { Failing, FeedFailure } from './model/feed-failure.js';
import { type DeliveryReport, MOST_NAMED, type SentFile } from './model/feed-run-job.js';
import type { LeftBehind } from './run-ends.js';
import type { RunFindings } from './run-report.js';

const MOST_CHARACTERS = 500;

/** Counts while a run goes on. */
export class DeliveryCounts implements RunFindings {
  failure: Failing | null = null;
  readonly fault = null;
  /** There was nothing to write, and nothing was written. */
  skipped = false;
  /** Why older files could not be removed. */
  trouble: FeedFailure | null = null;
  readonly #files: SentFile[] = [];
  readonly #removed: string[] = [];
  readonly #remarks = new Set<string>();

  /** The same file again counts once: a transaction may be repeated. */
  sent(file: SentFile): void {
    if (!this.#files.some(({ name, to }) => name === file.name && to === file.to)) this.#files.push(file);
  }

  remark(sentence: string): void {
    this.#remarks.add(sentence);
  }

  removed(name: string): void {
    if (this.#removed.length < MOST_NAMED) this.#removed.push(name);
  }

  fail(failing: Failing): void {
    this.failure ??= failing;
  }

  /** What does not make the run fail: the file is there. */
  note(code: string, message: string): void {
    this.trouble ??= { code, message: storable(message, MOST_CHARACTERS) };
  }

  get moved(): number {
    return this.#files.length;
  }

  get left(): LeftBehind {
    return { moved: this.#files.length > 0, waiting: 'none' };
  }

  progress() {
    const rows = this.#files.reduce((sum, file) => sum + file.rows, 0);
    return { totalCount: rows, processedCount: rows };
  }

  report(): DeliveryReport {
    const wrong = this.failure ?? this.trouble;
    const failure = wrong === null ? null : { code: wrong.code, message: wrong.message };
    return { files: this.#files, skipped: this.skipped, removed: this.#removed, failure };
  }

  end(): JobEnd {
    const { failure, trouble } = this;
    const said = [...this.#sentences()].join('; ');
    const wrong = failure ?? trouble;
    if (wrong === null) return { status: 'COMPLETED', statusMessage: said };
    const statusMessage = said === '' ? wrong.message : `${wrong.message}; ${said}`;
    const status = failure !== null && this.#files.length === 0 ? 'FAILED' : 'COMPLETED_PARTIALLY';
    return { status, reason: wrong.code, statusMessage };
  }

  *#sentences(): Iterable<string> {
    for (const { name, rows, bytes, content, whyWhole } of this.#files) {
      yield `${name} was sent: ${counted(rows, 'row')}, ${counted(bytes, 'byte')}, ${content === 'WHOLE' ? 'whole' : 'what has changed'}`;
      if (whyWhole !== null) yield `it is whole because ${whyWhole}`;
    }
    if (this.skipped) yield 'there was no row to write, and no file was written (whenEmpty is SKIP)';
    yield* this.#remarks;
    if (this.#removed.length > 0) yield `${counted(this.#removed.length, 'older file')} removed`;
  }
}
