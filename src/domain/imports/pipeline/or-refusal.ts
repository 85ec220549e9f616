/** Has the work of a transaction answer why it cannot be done, so that the transaction goes on. */
import { RejectedInput } from '../../formats/model/rejected-input.js';

/** @returns what `work` made, or why it cannot: the caller undoes what it has written */
export async function orRefusal<Made>(work: () => Promise<Made>): Promise<Made | RejectedInput> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof RejectedInput)) throw error;
    return error;
  }
}
