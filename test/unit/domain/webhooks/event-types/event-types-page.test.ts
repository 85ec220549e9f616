import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { eventTypesPage } from './event-types-page.js';

const PAGE = new URL('../../../../../../docs/use/event-types.md', import.meta.url);

describe('docs/use/event-types.md', () => {
  it('says what the registry says; WRITE_DOCS=1 writes it anew, and npm run format lays it out', () => {
    const page = eventTypesPage();
    if (process.env.WRITE_DOCS === '1') writeFileSync(PAGE, page);
    assert.equal(withoutLayout(readFileSync(PAGE, 'utf8')), withoutLayout(page));
  });
});

/** The formatter pads the columns of tables, and breaks the lines of JSON in its own way. */
function withoutLayout(page: string): string {
  return page.replaceAll(/-{3,}/g, '---').replaceAll(/\s+/g, '');
}
