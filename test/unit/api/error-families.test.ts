import assert from 'node:assert/strict';
import { errorBody, familyOfPath } from '../../../src/api/error-body.js';
import { factsOf } from '../../../src/api/error-facts.js';
import { HttpProblem } from '../../../src/api/http-problem.js';
import { routes } from '../../../src/api/routes/index.js';
import { DomainError } from '../../../src/domain/kernel/errors.js';

const badRow = new DomainError('invalid', 'NODE_NOT_FOUND', 'there is no category 7', {
  problems: [{ index: 3, path: '3.nodeId', code: 'NODE_NOT_FOUND', message: 'there is no category 7' }],
});

describe('error families', () => {
  it('answers catalog errors with a code, a message and the rows at fault', () => {
    assert.deepEqual(errorBody('catalog', factsOf(badRow)), {
      code: 'NODE_NOT_FOUND',
      message: 'there is no category 7',
      errors: [{ index: 3, path: '3.nodeId', code: 'NODE_NOT_FOUND', message: 'there is no category 7' }],
    });
  });

  it('leaves errors out of a catalog error that concerns no row', () => {
    const facts = factsOf(new DomainError('conflict', 'JOB_PENDING', 'job 1 is pending'));
    assert.deepEqual(errorBody('catalog', facts), { code: 'JOB_PENDING', message: 'job 1 is pending' });
  });

  for (const [kind, status, type] of [
    ['invalid', 400, 'CLIENT_ERROR'],
    ['unauthorized', 401, 'UNAUTHORIZED_ERROR'],
    ['forbidden', 403, 'REQUEST_DENIED'],
    ['not-found', 404, 'NOT_FOUND'],
    ['conflict', 409, 'CONFLICT'],
    ['too-large', 413, 'PAYLOAD_LIMIT_EXCEEDED_ERROR'],
    ['unsupported-type', 415, 'CLIENT_ERROR'],
    ['unprocessable', 422, 'CLIENT_ERROR'],
    ['busy', 429, 'CLIENT_ERROR'],
    ['unavailable', 503, 'SERVER_ERROR'],
  ] as const) {
    it(`answers a files error of kind ${kind} with ${status} and type ${type}`, () => {
      const facts = factsOf(new DomainError(kind, 'X', 'what was wrong'));
      assert.equal(facts.status, status);
      assert.deepEqual(errorBody('files', facts), {
        message: 'what was wrong',
        type,
        errors: [{ type, message: 'what was wrong' }],
      });
    });
  }

  it('answers notification errors with the JSON texts of the interface', () => {
    const body = (kind: ConstructorParameters<typeof DomainError>[0], message = 'x') =>
      errorBody('notification', factsOf(new DomainError(kind, 'X', message)));
    assert.equal(body('invalid'), 'Generic Bad Request Response');
    assert.equal(body('unauthorized'), 'Unauthorized');
    assert.equal(body('forbidden'), 'Forbidden');
    assert.equal(body('conflict'), 'Conflict with duplicated entity');
    assert.equal(body('busy'), 'Too Many Requests');
    assert.equal(body('not-found', "Entity with Id 7 doesn't exist"), "Entity with Id 7 doesn't exist");
    assert.deepEqual(errorBody('notification', factsOf(new Error('secret'))), { message: 'Internal Server Error' });
  });

  it('answers order management and operators with a message alone', () => {
    const facts = factsOf(new DomainError('not-found', 'X', 'gone'));
    assert.deepEqual(errorBody('oms', facts), { message: 'gone' });
    assert.deepEqual(errorBody('operator', facts), { message: 'gone' });
    assert.deepEqual(errorBody('oms', factsOf(new Error('secret'))), { message: 'Internal Server Error' });
  });

  it('answers OAuth errors with the codes and characters of RFC 6749', () => {
    const body = errorBody('oauth', factsOf(new DomainError('invalid', 'invalid_scope', 'no "ünknown" scope')));
    assert.deepEqual(body, { error: 'invalid_scope', error_description: "no '?nknown' scope" });
    const malformed = errorBody('oauth', factsOf(new HttpProblem(400, 'FIELD_REPEATED', 'twice')));
    assert.deepEqual(malformed, { error: 'invalid_request', error_description: 'twice' });
  });

  it('tells nothing of an error that is our own', () => {
    const facts = factsOf(new Error('password=hunter2'));
    assert.equal(facts.status, 500);
    assert.equal(facts.cause, 'fault');
    assert.ok(!JSON.stringify(errorBody('catalog', facts)).includes('hunter2'));
  });

  it('tells clients of an outage to come back', () => {
    for (const error of [
      Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }),
      Object.assign(new Error('shutting down'), { code: '57P01' }),
      Object.assign(new Error('too many clients'), { code: '53300' }),
      new Error('Connection terminated unexpectedly'),
      Object.assign(new Error('Timeout acquiring a connection'), { name: 'KnexTimeoutError' }),
      new AggregateError([Object.assign(new Error('x'), { code: 'ECONNREFUSED' })]),
    ]) {
      const facts = factsOf(error);
      assert.equal(facts.status, 503, error.message);
      assert.ok(Number(facts.headers['Retry-After']) >= 1);
    }
  });

  it('takes over the 4xx status of a package error, but not its message, and no 5xx', () => {
    const wrapped = factsOf(Object.assign(new Error('/home/x/file.js is broken'), { status: 413 }));
    assert.equal(wrapped.status, 413);
    assert.equal(wrapped.message, 'the body is too large');
    assert.equal(factsOf(Object.assign(new Error('x'), { status: 502 })).status, 500);
  });

  it('knows the family of a path by its prefix', () => {
    assert.equal(familyOfPath('/api-product/v1/nothing'), 'catalog');
    assert.equal(familyOfPath('/api-category'), 'catalog');
    assert.equal(familyOfPath('/item-import-templates'), 'files');
    assert.equal(familyOfPath('/jobs/1'), 'files');
    assert.equal(familyOfPath('/api/v2/webhook/1'), 'oms');
    assert.equal(familyOfPath('/api/v2/notification/send'), 'notification');
    assert.equal(familyOfPath('/oauth2/token'), 'oauth');
    assert.equal(familyOfPath('/jobsearch'), 'operator');
    assert.equal(familyOfPath('/'), 'operator');
  });

  it('is that of the route, also before it is known which route is meant', () => {
    for (const { method, path, family } of routes) assert.equal(familyOfPath(path), family, `${method} ${path}`);
  });
});
