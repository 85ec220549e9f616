/** Categories found by path, node id and id, and suggested where none matches. */
import assert from 'node:assert/strict';
import type { DefinitionCategory } from '../../../../../src/domain/catalog/site-definitions.js';
import { CategoryIndex } from '../../../../../src/domain/imports/items/category-index.js';

function tree(...nodes: [nodeId: number, parentNodeId: number | null, name: string][]): DefinitionCategory[] {
  const parents = new Set(nodes.map(([, parent]) => parent));
  return nodes.map(([nodeId, parentNodeId, name]) => ({
    nodeId,
    id: nodeId.toString(16).padStart(24, '0'),
    parentNodeId,
    name,
    active: true,
    leaf: parentNodeId !== null && !parents.has(nodeId),
    attributes: [],
  }));
}

const index = new CategoryIndex(
  tree(
    [1, null, 'PRIMARY'],
    [2, 1, 'Storage'],
    [3, 2, 'Disk'],
    [4, 2, 'Tape -> Reel'],
    [5, 1, 'Caf\u00e9'],
    [6, 1, '4'],
    [7, 1, 'Primary'],
    [8, 7, 'Storage'],
  ),
);
const found = (text: string): number | undefined => index.resolve(text)?.nodeId;

describe('CategoryIndex', () => {
  it('finds by path, with the root or without it', () => {
    assert.equal(found('PRIMARY->Storage->Disk'), 3);
    assert.equal(found('Storage->Disk'), 3);
    assert.equal(found('PRIMARY'), 1);
  });

  it('compares names trimmed, in NFC and without case', () => {
    assert.equal(found('  storage ->  DISK '), 3);
    assert.equal(found('CAFE\u0301'), 5);
  });

  it('takes an escaped arrow as part of a name', () => {
    assert.equal(found('Storage->Tape \\-> Reel'), 4);
    assert.equal(found('Storage->Tape -> Reel'), undefined);
  });

  it('takes no bare name but that of a top category', () => {
    assert.equal(found('Disk'), undefined);
    assert.equal(found('Storage'), 2);
  });

  it('reads a path that starts with the root from the root, else from a top category of the same name', () => {
    assert.equal(found('PRIMARY->Storage'), 2);
    assert.equal(found('PRIMARY->Primary->Storage'), 8);
  });

  it('finds by node id and by id', () => {
    assert.equal(found('3'), 3);
    assert.equal(found(' 000000000000000000000003 '), 3);
    assert.equal(index.byNodeId(3), index.byId('000000000000000000000003'));
    assert.equal(found('99'), undefined);
  });

  it('refuses digits that are one category and name another, and says how to tell them apart', () => {
    assert.equal(found('4'), undefined);
    assert.equal(found('PRIMARY->4'), 6);
    assert.equal(
      index.explainMissing('4'),
      '"4" is the node id of "PRIMARY->Storage->Tape \\-> Reel" and the name of "PRIMARY->4": write the path',
    );
  });

  it('suggests the category of that name where the way to it is wrong', () => {
    assert.equal(index.suggest('Disk'), 'PRIMARY->Storage->Disk');
    assert.equal(index.suggest('PRIMARY->Stroage->disk'), 'PRIMARY->Storage->Disk');
  });

  it('suggests the nearest names where one is misspelt', () => {
    assert.equal(index.suggest('Storge->Dsk'), 'PRIMARY->Storage->Disk');
    assert.equal(index.suggest('Zebra->Lion'), null);
    assert.equal(index.suggest('x'.repeat(70_000)), null);
  });

  it('explains a miss in one sentence', () => {
    assert.equal(
      index.explainMissing('Storge->Dsk'),
      'there is no category "Storge->Dsk" in the primary tree: did you mean "PRIMARY->Storage->Disk"? Otherwise create the category first (POST /api-category/v1/category, or a CATEGORY_IMPORT file)',
    );
    const unlike = 'PRIMARY->Zebra->Lion';
    assert.equal(
      index.explainMissing(unlike),
      `there is no category "${unlike}" in the primary tree: correct it, or create the category first (POST /api-category/v1/category, or a CATEGORY_IMPORT file)`,
    );
    assert.ok(index.explainMissing('x'.repeat(70_000)).length < 400);
  });

  it('writes paths that it reads back', () => {
    for (const category of index.categories) assert.equal(index.byPath(index.pathOf(category)), category);
  });

  it('finds nothing in a site without categories', () => {
    const empty = new CategoryIndex([]);
    assert.equal(empty.resolve('Storage'), undefined);
    assert.match(empty.explainMissing('Storage'), /there is no category "Storage"/);
  });
});
