import assert from 'node:assert/strict';
import { parseSiteContext } from '../../../../src/api/input/parse-site-context.js';
import { DomainError } from '../../../../src/domain/kernel/errors.js';

const account = '0123456789abcdef01234567';

function refusal(header: string | undefined): string {
  try {
    parseSiteContext(header);
  } catch (error) {
    assert.ok(error instanceof DomainError);
    assert.equal(error.kind, 'invalid');
    return error.message;
  }
  return assert.fail(`${header} was taken`);
}

describe('x-site-context', () => {
  it('needs nothing but the account', () => {
    assert.deepEqual(parseSiteContext(JSON.stringify({ account })), {
      accountId: account,
      stage: 'production',
      channel: null,
      date: null,
    });
  });

  it('reads stage, channel and date', () => {
    const header = { account, stage: 'qa-1', channel: 12, date: '2026-01-31T12:00:00.000Z' };
    assert.deepEqual(parseSiteContext(JSON.stringify(header)), {
      accountId: account,
      stage: 'qa-1',
      channel: 12,
      date: new Date('2026-01-31T12:00:00Z'),
    });
  });

  for (const [what, header, told] of [
    ['is missing', undefined, /required/],
    ['is empty', '', /required/],
    ['is not JSON', '{account}', /not JSON/],
    ['was sent twice', `${JSON.stringify({ account })}, ${JSON.stringify({ account })}`, /not JSON/],
    ['is no object', '"x"', /JSON object/],
    ['is an array', '[]', /JSON object/],
    ['is null', 'null', /JSON object/],
    ['has no account', '{}', /account is mandatory/],
    ['has null for an account', '{"account":null}', /account is mandatory/],
    [
      'has null for a stage',
      JSON.stringify({ account, stage: null }),
      /stage must be a text, not null: give it a value/,
    ],
    ['has null for a channel', JSON.stringify({ account, channel: null }), /channel must be a whole number, not null/],
    ['has null for a date', JSON.stringify({ account, date: null }), /date must be an ISO 8601 .*, not null/],
    ['has a number for an account', '{"account":123456789012345678901234}', /account/],
    ['has a short account', '{"account":"abc"}', /24 characters/],
    ['has a long account', `{"account":"${account}0"}`, /24 characters/],
    ['has a misspelt stage', JSON.stringify({ account, Stage: 'qa' }), /no key "Stage": did you mean "stage"\?/],
    [
      'has a key that is like none',
      JSON.stringify({ account, more: [] }),
      /the keys are account, stage, channel, date/,
    ],
    ['has an empty stage', JSON.stringify({ account, stage: '' }), /stage/],
    ['has a stage with a slash', JSON.stringify({ account, stage: 'a/b' }), /stage/],
    ['has a long stage', JSON.stringify({ account, stage: 'x'.repeat(65) }), /stage/],
    ['has a stage that is a number', JSON.stringify({ account, stage: 1 }), /stage/],
    ['has a channel that is text', JSON.stringify({ account, channel: '1' }), /channel/],
    ['has a broken channel', JSON.stringify({ account, channel: 1.5 }), /channel/],
    ['has a channel beyond 32 bits', JSON.stringify({ account, channel: 2 ** 31 }), /channel/],
    ['has a negative channel', JSON.stringify({ account, channel: -1 }), /channel/],
    ['has a channel that would be rounded', `{"account":"${account}","channel":1.0000000000000000001}`, /1\.0{18}1/],
    ['has a channel beyond all numbers', `{"account":"${account}","channel":1e400}`, /the number 1e400 cannot be kept/],
    ['has two stages', `{"account":"${account}","stage":"a","stage":"b"}`, /"stage" is given more than once/],
    ['has a date that is none', JSON.stringify({ account, date: 'yesterday' }), /date/],
    ['has a date without a zone', JSON.stringify({ account, date: '2026-01-31T12:00:00' }), /date/],
    ['has a day that does not exist', JSON.stringify({ account, date: '2026-02-31T12:00:00Z' }), /date/],
  ] as const) {
    it(`is refused when it ${what}`, () => {
      assert.match(refusal(header), told);
    });
  }
});
