import assert from 'node:assert/strict';
import { fixedNames } from '../../../../../../src/domain/imports/items/read/item-columns.js';
import { decideChange } from '../../../../../../src/domain/imports/items/resolve/decide-change.js';
import { decideNewItem } from '../../../../../../src/domain/imports/items/resolve/decide-new-item.js';
import type { ItemDecision } from '../../../../../../src/domain/imports/items/resolve/item-decision.js';
import type { StoredItem } from '../../../../../../src/domain/imports/items/resolve/stored-item.js';
import { draftOf, idOf, rulesOf } from '../rules-fixture.js';

const NAMES = fixedNames(null);
const rules = rulesOf({
  attributes: [
    { name: 'Title', validation: { required: true } },
    { name: 'Image' },
    { name: 'Active', type: 'BOOLEAN' },
    { name: 'Weight', type: 'DECIMAL' },
    { name: 'Foreign' },
    { name: 'No', type: 'SERIAL', validation: { incrementBy: 5 } },
  ],
  categories: { 'Storage->Disk': ['Title', 'Image!', 'Active', 'Weight', 'No'], Tape: ['Title'] },
  mappings: { active: 'Active' },
});
const [TITLE, IMAGE, ACTIVE, WEIGHT, FOREIGN] = [0, 1, 2, 3, 4].map(idOf) as [string, string, string, string, string];
const DISK = 3;
const TAPE = 4;

interface CreateOptions {
  readonly channel?: number | null;
  readonly row?: number;
  readonly reserved?: Readonly<Record<string, number>>;
}
const create = (element: object, { channel = null, row = 1, reserved = {} }: CreateOptions = {}) =>
  decideNewItem(
    draftOf(rules, { sku: 'a', nodeName: 'Storage->Disk', ...element }, row),
    rules,
    channel,
    NAMES,
    reserved,
  );
const change = (element: object, stored: Partial<StoredItem> = {}, channel: number | null = null) =>
  decideChange(
    draftOf(rules, { sku: 'a', ...element }),
    {
      sku: 'a',
      type: 'I',
      nodeId: DISK,
      status: 'L',
      parentSku: null,
      channels: null,
      attributes: { [TITLE]: 'T', [IMAGE]: 'i.png' },
      place: '(0,1)',
      chars: 0,
      ...stored,
    },
    rules,
    channel,
    NAMES,
  );
const codes = (decision: ItemDecision) =>
  decision.kind === 'failed' ? decision.problems.map(({ code, column }) => `${code} ${column}`) : decision.kind;
function itemOf(decision: ItemDecision) {
  assert.ok('item' in decision, JSON.stringify(decision));
  return { ...decision.item, attributes: decision.item.document.parse() };
}

describe('decideNewItem', () => {
  it('makes an item of what the row says', () => {
    const item = itemOf(create({ parentSku: ' p ', attributes: { title: 'T', Image: 'i.png', Weight: '1.50' } }));
    assert.deepEqual([item.sku, item.nodeId, item.status, item.parentSku, item.channels], ['a', DISK, 'L', 'p', null]);
    assert.deepEqual(item.attributes, { [TITLE]: 'T', [IMAGE]: 'i.png', [WEIGHT]: 1.5 });
  });

  it('keeps it DRAFT without what its category makes mandatory, and while it is switched off', () => {
    assert.equal(itemOf(create({ attributes: { Title: 'T' } })).status, 'D');
    assert.equal(itemOf(create({ attributes: { Title: 'T', Image: 'i', Active: false } })).status, 'D');
    assert.equal(itemOf(create({ attributes: { Title: 'T', Image: 'i', Active: true } })).status, 'L');
    assert.equal(itemOf(create({ nodeName: 'Tape', attributes: { Title: 'T' } })).status, 'L');
  });

  it('tags it with the channel under which it comes', () => {
    assert.deepEqual(itemOf(create({ attributes: { Title: 'T' } }, { channel: 7 })).channels, [7]);
  });

  it('refuses it without a category, without what is required, and with what the category does not have', () => {
    assert.deepEqual(codes(create({ nodeName: null, attributes: { Title: 'T' } })), ['NODE_NOT_FOUND nodeName']);
    assert.deepEqual(codes(create({ attributes: { Title: null, Foreign: 'x' } })), [
      'ATTRIBUTE_REQUIRED Title',
      'ATTRIBUTE_NOT_ASSIGNED Foreign',
    ]);
  });

  it('numbers it by its row, unless it brings a number or its category has none', () => {
    const reserved = { [idOf(5)]: 100 };
    assert.equal(itemOf(create({ attributes: { Title: 'T' } }, { row: 3, reserved })).extra, `"${idOf(5)}":115`);
    assert.equal(itemOf(create({ attributes: { Title: 'T', No: 1 } }, { row: 3, reserved })).extra, '');
    assert.equal(itemOf(create({ nodeName: 'Tape', attributes: { Title: 'T' } }, { row: 3, reserved })).extra, '');
  });
});

describe('decideChange', () => {
  it('is unchanged when the row says what is there already', () => {
    assert.equal(codes(change({})), 'unchanged');
    assert.equal(
      codes(change({ nodeId: DISK, parentSku: null, attributes: { Title: 'T', Weight: null } })),
      'unchanged',
    );
    assert.equal(codes(change({}, { channels: [3] }, 3)), 'unchanged');
    assert.equal(codes(change({}, { channels: null }, 3)), 'unchanged');
    assert.equal(codes(change({}, { channels: [3] }, null)), 'unchanged');
  });

  it('sets what is named, clears what is null, leaves the rest', () => {
    const item = itemOf(
      change({ attributes: { Image: null, Weight: 2 } }, { attributes: { [TITLE]: 'T', [IMAGE]: 'i' } }),
    );
    assert.deepEqual(item.attributes, { [TITLE]: 'T', [WEIGHT]: 2 });
    assert.equal(item.status, 'D');
  });

  it('does not take a number and its text for the same', () => {
    assert.equal(
      codes(change({ attributes: { Weight: '1.0' } }, { attributes: { [TITLE]: 'T', [IMAGE]: 'i', [WEIGHT]: 1 } })),
      'unchanged',
    );
    const long = '12345678901234567890.5';
    assert.equal(
      codes(change({ attributes: { Weight: long } }, { attributes: { [TITLE]: 'T', [IMAGE]: 'i', [WEIGHT]: long } })),
      'unchanged',
    );
    assert.equal(
      codes(change({ attributes: { Weight: 1 } }, { attributes: { [TITLE]: 'T', [IMAGE]: 'i', [WEIGHT]: '1' } })),
      'update',
    );
  });

  it('works out the status anew, even where the row changes nothing else', () => {
    assert.equal(itemOf(change({}, { status: 'D' })).status, 'L');
    assert.equal(itemOf(change({}, { attributes: { [TITLE]: 'T' } })).status, 'D');
    assert.equal(itemOf(change({ attributes: { Active: false } })).status, 'D');
    assert.equal(itemOf(change({ nodeId: TAPE }, { status: 'D', attributes: { [TITLE]: 'T' } })).status, 'L');
  });

  it('adds the channel to a tagged item, in order', () => {
    assert.deepEqual(itemOf(change({}, { channels: [5] }, 3)).channels, [3, 5]);
  });

  it('leaves the parent alone, sets it, or takes it away', () => {
    assert.equal(codes(change({}, { parentSku: 'p' })), 'unchanged');
    assert.equal(itemOf(change({ parentSku: 'q' }, { parentSku: 'p' })).parentSku, 'q');
    assert.equal(itemOf(change({ parentSku: '' }, { parentSku: 'p' })).parentSku, null);
  });

  it('refuses to clear what is required, and values that the category does not have', () => {
    assert.deepEqual(codes(change({ attributes: { Title: '', Foreign: 'x' } })), [
      'ATTRIBUTE_REQUIRED Title',
      'ATTRIBUTE_NOT_ASSIGNED Foreign',
    ]);
    assert.deepEqual(codes(change({ nodeId: TAPE, attributes: { Image: 'x' } })), ['ATTRIBUTE_NOT_ASSIGNED Image']);
  });

  it('takes a value that the category no longer has where it is there already, and nowhere else', () => {
    const stored = { attributes: { [TITLE]: 'T', [IMAGE]: 'i', [FOREIGN]: 'kept' } };
    const refused = ['ATTRIBUTE_NOT_ASSIGNED Foreign'];
    assert.equal(codes(change({ attributes: { Title: 'T', Foreign: 'kept' } }, stored)), 'unchanged');
    const changed = itemOf(change({ attributes: { Title: 'U', Foreign: 'kept' } }, stored));
    assert.deepEqual(changed.attributes, { [TITLE]: 'U', [IMAGE]: 'i', [FOREIGN]: 'kept' });
    const cleared = itemOf(change({ attributes: { Foreign: null } }, stored));
    assert.deepEqual(cleared.attributes, { [TITLE]: 'T', [IMAGE]: 'i' });
    assert.deepEqual(codes(change({ attributes: { Foreign: 'other' } }, stored)), refused);
    assert.deepEqual(codes(change({ nodeId: TAPE, attributes: { Foreign: 'kept' } }, stored)), refused);
  });

  it('refuses an item whose category is gone', () => {
    assert.deepEqual(codes(change({}, { nodeId: 99 })), ['NODE_NOT_FOUND nodeName']);
    assert.deepEqual(codes(change({}, { nodeId: null })), ['NODE_NOT_FOUND nodeName']);
    assert.equal(codes(change({ nodeId: DISK }, { nodeId: 99 })), 'update');
  });

  it('keeps values that are stored and unknown here', () => {
    const item = itemOf(
      change({ attributes: { Active: true } }, { attributes: { [TITLE]: 'T', [IMAGE]: 'i', old: 1 } }),
    );
    assert.deepEqual(item.attributes, { [TITLE]: 'T', [IMAGE]: 'i', old: 1, [ACTIVE]: true });
  });
});
