/** Tracing costs nothing while it is off: no file loads the SDK but the one that is loaded when it is on. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadConfig } from '../../../src/config/config.js';
import { tracing } from '../../../src/platform/tracing.js';

const SOURCES = fileURLToPath(new URL('../../../../src/', import.meta.url));
const NEEDED = { DATABASE_URL: 'postgres://x', SECRETS_KEY: 'x'.repeat(32) };
const COLLECTOR = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318' };

describe('tracing that is off', () => {
  it('loads nothing of OpenTelemetry', () => {
    const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    const loads = (pattern: RegExp) => files.filter((name) => pattern.test(readFileSync(join(SOURCES, name), 'utf8')));
    assert.deepEqual(loads(/from '(@opentelemetry\/|bullmq-otel)/), [join('platform', 'open-tracer.ts')]);
    assert.deepEqual(loads(/^import (?!type ).*open-tracer\.js'/m), []);
    assert.deepEqual(loads(/import\('\S*open-tracer\.js'\)/), [join('platform', 'tracing.ts')]);
    assert.equal(tracing(), undefined);
  });

  it('is what happens unless a collector is named, and where the SDK is disabled', () => {
    const isTraced = (environment: Record<string, string>) => loadConfig({ ...NEEDED, ...environment }).isTraced;
    assert.equal(isTraced({}), false);
    assert.equal(isTraced(COLLECTOR), true);
    assert.equal(isTraced({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector/v1/traces' }), true);
    assert.equal(isTraced({ ...COLLECTOR, OTEL_SDK_DISABLED: 'true' }), false);
    assert.equal(isTraced({ ...COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }), false);
  });

  it('is no answer to a protocol that is not spoken here', () => {
    assert.throws(
      () => loadConfig({ ...NEEDED, ...COLLECTOR, OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }),
      /OTEL_EXPORTER_OTLP_PROTOCOL: expected http\/json, got "grpc"/,
    );
  });
});
