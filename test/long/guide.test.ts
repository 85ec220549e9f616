/** The pages of the guide after the first one, followed as they stand there, against one system. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { GuideReader } from '../support/worlds/guide-reader.js';

describe('the guide, followed page by page', function () {
  this.timeout(300_000);
  let reader: GuideReader;
  before(async () => {
    reader = await GuideReader.start();
    // The pages say that they use the catalog of the first one.
    await reader.follow('your-first-import');
  });
  after(() => reader?.stop());

  it('fixes the rows that failed', async () => {
    const [first, correction, again, jobs] = await reader.follow('fix-failed-rows');
    assert.equal(first?.code, 2, first?.output);
    assert.match(first?.output ?? '', /6 updated, 0 unchanged, 3 failed/);
    for (const [code, column] of [
      ['VALUE_TYPE', 'Price'],
      ['VALUE_NOT_IN_OPTIONS', 'Colour'],
      ['VALUE_RANGE', 'Stock'],
    ]) {
      assert.match(first?.output ?? '', new RegExp(`^${code} +${column} +1`, 'm'));
    }
    assert.equal(correction?.code, 0, correction?.output);
    assert.equal(again?.code, 0, again?.output);
    assert.match(again?.output ?? '', /3 updated, 0 unchanged, 0 failed/);
    assert.equal(jobs?.code, 0, jobs?.output);
    assert.match(jobs?.output ?? '', /ITEM_IMPORT +COMPLETED_PARTIALLY/);
  });

  it('exports for a spreadsheet, and reads it back unchanged', async () => {
    const [exported, imported, template] = await reader.follow('export-for-a-spreadsheet');
    assert.equal(exported?.code, 0, exported?.output);
    assert.equal(imported?.code, 0, imported?.output);
    assert.match(imported?.output ?? '', /0 created, 0 updated, 5,000 unchanged, 0 failed/);
    assert.equal(template?.code, 0, template?.output);
    assert.ok(existsSync(reader.path('new-items.xlsx')));
  });

  it('copies the catalog into a stage, and changes only the stage', async () => {
    const steps = await reader.follow('stages');
    for (const { text, code, output } of steps) assert.equal(code, 0, `${text}: ${output}`);
    const [, , change, , takenOver] = steps;
    assert.match(steps[1]?.output ?? '', /5,000 created/);
    assert.match(change?.output ?? '', /6 updated/);
    assert.match(takenOver?.output ?? '', /6 updated/, 'production was as before');
    const [production, test] = ['items.csv', 'items-of-test.csv'].map((name) => linesOf(name));
    assert.equal(test?.filter((line, index) => line !== production?.[index]).length, 6);
  });

  it('receives a webhook', async () => {
    const [created, receiver, tested, attempts] = await reader.follow('receive-webhooks', 'received: PING');
    for (const step of [created, tested, attempts]) assert.equal(step?.code, 0, `${step?.text}: ${step?.output}`);
    assert.match(receiver?.output ?? '', /received: PING/);
    assert.match(attempts?.output ?? '', /JOB_COMPLETED/);
  });

  it('accepts the requests of the other platform', async () => {
    const steps = await reader.follow('from-another-platform');
    for (const { text, code, output } of steps) assert.equal(code, 0, `${text}: ${output}`);
    assert.ok(steps.some(({ output }) => /"status":"COMPLETED".*"createdCount":2/s.test(output)));
    assert.ok(steps.some(({ output }) => output.includes('"signingSecret":"whsec_')));
  });

  it('imports the products and variants of Shopify, and exports them in its form', async () => {
    const steps = await reader.follow('from-shopify');
    for (const { text, code, output } of steps) assert.equal(code, 0, `${text}: ${output}`);
    const [products, variants, again, exported, byOptions] = steps;
    assert.match(products?.output ?? '', /10 created, 0 updated, 0 unchanged, 0 failed/);
    assert.match(
      byOptions?.output ?? '',
      /10 created, 0 updated, 0 unchanged, 0 failed[\s\S]*31 created, 0 updated, 0 unchanged, 0 failed/,
    );
    assert.match(variants?.output ?? '', /31 created, 0 updated, 0 unchanged, 0 failed/);
    assert.match(again?.output ?? '', /0 created, 0 updated, 31 unchanged, 0 failed/);
    assert.match(exported?.output ?? '', /31 items written[\s\S]*ITEM_LEFT_OUT.* 10: /);
    const [header, ...rows] = linesOf('shopify-variants.csv');
    assert.match(header ?? '', /^Variant SKU,Handle,Option1 Value,/);
    assert.equal(rows.filter((line) => line !== '').length, 31);
    assert.ok(existsSync(reader.path('my-shopify.profile.json')));
  });

  it('imports the models and products of Akeneo, and by a profile made of the one for it', async () => {
    const steps = await reader.follow('from-akeneo');
    for (const { text, code, output } of steps) assert.equal(code, 0, `${text}: ${output}`);
    const [models, products, , again] = steps;
    assert.match(models?.output ?? '', /7 created, 0 updated, 0 unchanged, 0 failed/);
    assert.match(products?.output ?? '', /31 created, 0 updated, 0 unchanged, 0 failed/);
    assert.match(again?.output ?? '', /0 created, 3 updated, 28 unchanged, 0 failed/);
  });

  function linesOf(name: string): string[] {
    return readFileSync(reader.path(name), 'utf8').split('\n');
  }
});
