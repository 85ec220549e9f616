/** What is said of an archive that cannot be read: those of workbooks and of whole stages differ in nothing else. */
import type { RejectedInput } from '../../model/rejected-input.js';

export interface ArchiveWords {
  /** @param what a sentence, such as the message of an error; its full stop is optional */
  damaged(what: string): RejectedInput;
  tooManyEntries(count: number): RejectedInput;
  encrypted(): RejectedInput;
  expands(ratio: number): RejectedInput;
  tooLarge(bytes: number): RejectedInput;
}
