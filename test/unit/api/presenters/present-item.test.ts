/** Items as the API shows them. */
import assert from 'node:assert/strict';
import { Item } from '../../../../db/models/item.js';
import { itemSchema, presentItem, presentListedItem } from '../../../../src/api/presenters/present-item.js';

const item = Item.fromJson({
  site_id: 18,
  sku: 'SSD/1',
  row_no: 255,
  type: 'I',
  status: 'D',
  node_id: 3,
  parent_sku: null,
  channels: null,
  attributes: {},
  source_hash: null,
});
item.created_at = new Date('2026-01-02T03:04:05.678Z');
item.updated_at = new Date('2026-02-03T04:05:06.789Z');
const detail = {
  item,
  nodePath: 'PRIMARY->Storage->Disk',
  values: { Title: 'Disk' },
  shown: { title: 'Disk' },
  inherited: null,
  components: null,
};

describe('presentItem', () => {
  it('makes the id of site and row number, and spells codes out', () => {
    assert.deepEqual(presentItem(detail), {
      itemId: '0000001200000000000000ff',
      sku: 'SSD/1',
      type: 'ITEM',
      status: 'DRAFT',
      nodeId: 3,
      nodeName: 'PRIMARY->Storage->Disk',
      parentSku: null,
      channels: null,
      attributes: { Title: 'Disk' },
      createdOn: '2026-01-02T03:04:05.678Z',
      modifiedOn: '2026-02-03T04:05:06.789Z',
    });
  });

  it('answers what its schema says', () => {
    assert.deepEqual(itemSchema.parse(presentItem(detail)), presentItem(detail));
  });

  it('adds the title in lists', () => {
    assert.equal(presentListedItem(detail).title, 'Disk');
    assert.equal('image' in presentListedItem(detail), false);
  });
});
