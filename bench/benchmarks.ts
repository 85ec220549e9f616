/** Every benchmark there is, in the order in which they run. */
import type { Benchmark } from './benchmark.js';
import { abuse } from './benchmarks/abuse.js';
import { backlog } from './benchmarks/backlog.js';
import { bulkJson } from './benchmarks/bulk-json.js';
import { burst } from './benchmarks/burst.js';
import { changes } from './benchmarks/changes.js';
import { exportCsv } from './benchmarks/export-csv.js';
import { exportJsonl } from './benchmarks/export-jsonl.js';
import { exportXlsx } from './benchmarks/export-xlsx.js';
import { fairness } from './benchmarks/fairness.js';
import { importCsv } from './benchmarks/import-csv.js';
import { importJsonl } from './benchmarks/import-jsonl.js';
import { importProfile } from './benchmarks/import-profile.js';
import { importXlsx } from './benchmarks/import-xlsx.js';
import { inspect } from './benchmarks/inspect.js';
import { jobs } from './benchmarks/jobs.js';
import { latency } from './benchmarks/latency.js';
import { reimport } from './benchmarks/reimport.js';
import { scale } from './benchmarks/scale.js';
import { tenants } from './benchmarks/tenants.js';
import { update } from './benchmarks/update.js';
import { webhooks } from './benchmarks/webhooks.js';

export const benchmarks: readonly Benchmark[] = [
  importCsv,
  importProfile,
  importJsonl,
  importXlsx,
  reimport,
  update,
  changes,
  inspect,
  exportCsv,
  exportJsonl,
  exportXlsx,
  bulkJson,
  jobs,
  backlog,
  latency,
  burst,
  tenants,
  webhooks,
  fairness,
  abuse,
  scale,
];
