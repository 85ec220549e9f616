/** What the status message of a job says of which a chunk has failed permanently. */
import assert from 'node:assert/strict';
import { failedEnd } from '../../../../../src/domain/jobs/ends/failed-end.js';

describe('what the end of a job says', () => {
  it('of the rows that were applied before it failed', () => {
    const failed = { reason: 'INTERNAL_ERROR', status_message: 'a cause' } as const;
    assert.deepEqual(
      [0, 1, 2].map((applied) => failedEnd(failed, applied)?.statusMessage),
      [
        'a cause; no row was applied before; send the file again',
        'a cause; the row applied before remains; send the file again to apply the rest',
        'a cause; the 2 rows applied before remain; send the file again to apply the rest',
      ],
    );
  });
});
