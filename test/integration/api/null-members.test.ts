/** Generated from the registry of routes: null in every member of every request, against the list of those that accept it. */
import assert from 'node:assert/strict';
import type { z } from 'zod';
import { siteContextSchema } from '../../../src/api/input/parse-site-context.js';
import { routes } from '../../../src/api/routes/index.js';
import { attributeInputSchema } from '../../../src/domain/catalog/attributes/attribute-input.js';
import { categoryElementSchema } from '../../../src/domain/catalog/categories/category-input.js';
import { OpaqueJson } from '../../../src/domain/kernel/opaque-json.js';
import { around, type Member, partOf, partsOf } from '../../support/models/request-members.js';

const FEED_VALUES = [
  ...['connection.endpoint', 'connection.hostKey', 'expectWithinMinutes', 'locale', 'options.profile'],
  ...['passphrase', 'pick.doneMarker', 'schedule', 'secret', 'keep', 'after'],
];
const WEBHOOK_VALUES = ['targetApiKey', 'headers', 'apiVersion', 'callbackUrl', 'rateLimit', 'filter'];
const MATCH_VALUES = ['fromValue', 'toValue', 'value'].map((name) => `match.properties.0.${name}`);
/** Its body is one definition or many, so that a wrong member is a problem of the whole; PATCH has the same members. */
const NOT_TOLD_APART = 'POST /api/v2/webhook';
const TIMES = ['createdDate', 'updatedDate'];
/** Members that only answers have. */
const SENT_BACK = ['createdAt', 'description', 'updatedAt'];
const CONTACT = ['email', 'name', 'name.first', 'name.last', 'name.middle', 'phone', 'phone.type'];

/** By operation: the members in which null has the meaning that docs/use/api.md, "Null", states. All others refuse it. */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  'PATCH /api/v2/webhook/:webhookId': [
    ...WEBHOOK_VALUES,
    ...TIMES,
    ...['requestType', 'health', 'webhookId', 'status', 'disabledReason', 'disabledAt', 'collectsUntil', 'channel'],
    'previousSecretUntil',
  ],
  // No filter: every event passes.
  'POST /api/v2/webhook/actions/try-filter': ['filter'],
  // No profile, not even the default of the site.
  'POST /files/product': ['options.profile'],
  'POST /files/product/:id/actions/import': ['profile'],
  // None.
  'POST /feeds': FEED_VALUES,
  'PATCH /feeds/:feedId': FEED_VALUES,
  'POST /feeds/actions/test': FEED_VALUES,
  // No number, and no choice.
  'PATCH /site-settings': ['approval.fileTypes', 'approval.items', 'approval.percent'],
  'POST /api/v2/event': ['payload'],
  'POST /api/v2/event/batch': ['0.payload'],
  'POST /import-profiles': SENT_BACK,
  'PUT /import-profiles/:name': SENT_BACK,
  // A value of any type, which the condition checks.
  'POST /jobs/product/actions/filter-export': MATCH_VALUES,
  'POST /jobs/bundle/actions/filter-export': MATCH_VALUES,
  'POST /api-product/v1/product/search': MATCH_VALUES,
  'POST /api-product/v1/product/count': MATCH_VALUES,
  'POST /api/v2/document': ['payload', ...CONTACT.map((one) => `contactInfo.0.${one}`)],
  'PUT /api/v2/document/:documentType/:id': [
    ...['payload', 'contactInfo'],
    ...CONTACT.map((one) => `contactInfo.0.${one}`),
  ],
  'POST /api/v2/notification/send': [
    ...CONTACT.map((one) => `overrideContactInfo.0.${one}`),
    ...CONTACT.map((one) => `0.overrideContactInfo.0.${one}`),
  ],
};

/** The elements of bulk requests and JSON files: null clears a value or sets its default, but for these. */
const REFUSED_IN_ELEMENTS = {
  attributes: ['action', 'id', 'locales.0.locale', 'locales.0.name'],
  categories: ['parentId', 'parentNodeId', 'parentNodeName'],
};

/** Whether the schema has nothing against null in this member; what it says of others does not count. */
function acceptsNull(schema: z.ZodType, { parent, name }: Member): boolean {
  // A route gets opaque members as their text.
  return [null, new OpaqueJson('null')].some((nothing) => {
    const parsed = schema.safeParse(around(parent, { [name]: nothing }));
    if (parsed.success) return true;
    const path = [...parent, name];
    return !parsed.error.issues.some((issue) => hits(issue, path));
  });
}

/** Whether the issue, or an alternative of a union within it, concerns the path itself. */
function hits(issue: z.core.$ZodIssue, path: readonly PropertyKey[]): boolean {
  // A single value is read as a list of one, whose problem lies below the member.
  if (path.every((key, index) => issue.path[index] === key)) return true;
  if (issue.code !== 'invalid_union') return false;
  const rest = path.slice(issue.path.length);
  return issue.errors.every((issues) => issues.some((inner) => inner.path.length === 0 || hits(inner, rest)));
}

function pathOf({ parent, name }: Member): string {
  return [...parent, name].join('.');
}

function acceptedIn(schema: z.ZodType, members: readonly Member[]): string[] {
  return [...new Set(members.filter((member) => acceptsNull(schema, member)).map(pathOf))].sort();
}

describe('null in the members of requests', () => {
  for (const route of routes) {
    const name = `${route.method} ${route.path}`;
    for (const { part, schema, members } of partsOf(route)) {
      // Queries are texts, which have no null.
      if (part !== 'body' || name === NOT_TOLD_APART) continue;
      it(`is accepted by the ${part} of ${name} only where the documentation gives it a meaning`, () => {
        const expected = ACCEPTED[name] ?? [];
        assert.deepEqual(acceptedIn(schema, members), [...expected].sort());
      });
    }
  }

  it('is refused in every key of x-site-context', () => {
    const { schema, members } = partOf('x-site-context', siteContextSchema);
    assert.equal(members.length, 4);
    assert.deepEqual(acceptedIn(schema, members), []);
  });

  for (const [of, schema] of [
    ['attributes', attributeInputSchema],
    ['categories', categoryElementSchema],
  ] as const) {
    it(`is refused in elements of ${of} where it would decide what is changed`, () => {
      const { members } = partOf('body', schema);
      const refused = members.filter((member) => !acceptsNull(schema, member)).map(pathOf);
      assert.deepEqual([...new Set(refused)].sort(), REFUSED_IN_ELEMENTS[of]);
    });
  }
});
