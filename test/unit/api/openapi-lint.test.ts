/** The description of the API passes the rules that a well-known linter recommends. */
import assert from 'node:assert/strict';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openapiOf } from '../../../src/api/openapi.js';
import { routes } from '../../../src/api/routes/index.js';

describe('the OpenAPI document, for the linter', () => {
  it('breaks none of its recommended rules, and is given no warning', async function () {
    this.timeout(60_000);
    const config = await createConfig({ extends: ['recommended'] });
    const source = JSON.stringify(openapiOf(routes));
    const problems = await lintFromString({ source, absoluteRef: '/openapi.json', config });
    assert.deepEqual(
      problems.map(({ severity, ruleId, message, location }) => [severity, ruleId, message, location[0]?.pointer]),
      [],
    );
  });
});
