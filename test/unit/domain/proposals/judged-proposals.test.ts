/** Proposals for files of shops in ten countries, whose columns are known: nearly all are right, and none is sure and wrong. */
import assert from 'node:assert/strict';
import { LABELLED_FILES, labelledFile } from '../../../../bench/data/inspection/labelled-files.js';
import type { Proposal } from '../../../../src/domain/proposals/model/proposal.js';
import { SHOP_FILES, shopFileOf } from '../../../support/models/shop-files.js';
import { type GivenAttribute, proposalFor } from './propose-fixture.js';

const LEAST_RIGHT = 0.98;
/** What each column of a shop's file becomes in an empty catalog, in order. */
const SHOP =
  'key TEXT TEXT TEXT category OPTIONS TEXT TEXT! DECIMAL DECIMAL DECIMAL INTEGER INTEGER INTEGER BOOLEAN BOOLEAN BOOLEAN ' +
  'DATETIME DATETIME DATETIME DECIMAL DECIMAL DECIMAL DECIMAL OPTIONS OPTIONS OPTIONS TEXT TEXT image:URL URL INTEGER ' +
  'INTEGER OPTIONS OPTIONS|TEXT OPTIONS OPTIONS DECIMAL|INTEGER DECIMAL|INTEGER TEXT';
const LABELLED = 'key TEXT DECIMAL INTEGER BOOLEAN DATETIME category TEXT DECIMAL TEXT';
const CATALOG: readonly GivenAttribute[] = [
  { name: 'Title' },
  { name: 'Long Description', textSubType: 'HTML' },
  { name: 'Brand' },
  { name: 'MPN' },
  { name: 'GTIN' },
  { name: 'Price', type: 'DECIMAL' },
  { name: 'List Price', type: 'DECIMAL' },
  { name: 'Purchase Price', type: 'DECIMAL' },
  { name: 'Stock', type: 'INTEGER' },
  { name: 'Active', type: 'BOOLEAN' },
  { name: 'Release Date', type: 'DATETIME' },
  { name: 'Weight', type: 'DECIMAL' },
  { name: 'Length', type: 'DECIMAL' },
  { name: 'Width', type: 'DECIMAL' },
  { name: 'Height', type: 'DECIMAL' },
  { name: 'Colour' },
  { name: 'Size' },
  { name: 'Material' },
  { name: 'Image', type: 'URL' },
  { name: 'Season' },
];
/** What the columns of a shop are in that catalog; `-`: a new attribute. */
const MAPPED =
  'SKU,Title,-,Long Description,Category Node,Brand,MPN,GTIN,Price,List Price,Purchase Price,Stock,-,-,Active,-,-,Release Date,-,-,' +
  'Weight,Length,Width,Height,Colour,Size,Material,-,-,Image,-,-,-,-,-,-,Season,-,-,-';

class Score {
  all = 0;
  readonly wrong: string[] = [];
  readonly certainAndWrong: string[] = [];

  note(isRight: boolean, verdict: string, what: string): void {
    this.all += 1;
    if (isRight) return;
    this.wrong.push(what);
    if (verdict === 'certain') this.certainAndWrong.push(what);
  }

  check(): void {
    assert.deepEqual(this.certainAndWrong, []);
    assert.ok(
      this.all > 0 && this.wrong.length <= this.all * (1 - LEAST_RIGHT),
      `${this.all}: ${this.wrong.join('\n')}`,
    );
  }
}

/** What a line makes of its column: a part, or the type of a new attribute; `!` behind it: unique. */
function formOf({ missing }: Proposal, { to, as }: Proposal['lines'][number]): string[] {
  const attribute = missing.attributes.find(({ name }) => name === to);
  const type = `${attribute?.type}${attribute?.validation?.unique === true ? '!' : ''}`;
  return attribute === undefined ? [as] : [type, `${as}:${type}`];
}

function columnsOf(proposal: Proposal): Proposal['lines'] {
  return proposal.lines.filter(({ from }) => !String(from).startsWith('Column '));
}

describe('proposals', function () {
  this.timeout(120_000);

  it('are right for the files of six shops and an empty catalog, and never certain and wrong', async () => {
    const score = new Score();
    for (const shop of SHOP_FILES) {
      const { bytes } = await shopFileOf(shop, 600);
      const proposal = await proposalFor(bytes, {}, shop === 'xlsx' ? { format: 'XLSX' } : {});
      const lines = columnsOf(proposal);
      const expected = SHOP.split(' ');
      assert.equal(lines.length, expected.length);
      for (const [index, line] of lines.entries()) {
        const forms = formOf(proposal, line);
        const isRight = (expected[index] ?? '').split('|').some((form) => forms.includes(form));
        score.note(isRight, line.verdict, `${shop}: ${line.from} is ${forms}, and not ${expected[index]}`);
      }
      assert.equal(proposal.missing.categories.length, 11, shop);
    }
    score.check();
  });

  it('find the attributes of an English catalog for the files of six shops', async () => {
    const score = new Score();
    for (const shop of SHOP_FILES) {
      const { bytes } = await shopFileOf(shop, 300);
      const format = shop === 'xlsx' ? { format: 'XLSX' as const } : {};
      const lines = columnsOf(await proposalFor(bytes, { attributes: CATALOG }, format));
      for (const [index, { from, to, isNew, verdict }] of lines.entries()) {
        const expected = MAPPED.split(',')[index];
        score.note((isNew ? '-' : to) === expected, verdict, `${shop}: ${from} is ${to}, and not ${expected}`);
      }
    }
    score.check();
  });

  it('are right for the labelled files of ten countries', async () => {
    const score = new Score();
    for (let number = 0; number < LABELLED_FILES; number += 9) {
      const file = labelledFile(number);
      const proposal = await proposalFor(file.bytes);
      for (const [index, line] of proposal.lines.entries()) {
        const expected = LABELLED.split(' ')[index] ?? '';
        const forms = formOf(proposal, line).map((form) => form.replace('!', ''));
        score.note(
          forms.includes(expected),
          line.verdict,
          `${file.name}: ${line.from} is ${forms}, and not ${expected}`,
        );
      }
    }
    score.check();
  });
});
