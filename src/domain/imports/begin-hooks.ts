/** What a job that takes rows in needs as it begins: a snapshot of the definitions, and whether its items have subscribers. */
import { snapshotDefinitions } from '../catalog/definition-snapshot.js';
import type { BeginHooks } from '../jobs/begin-job.js';
import { HEARS_ITEMS } from './items/tell-of-items.js';

export const IMPORT_HOOKS: BeginHooks = { besides: HEARS_ITEMS, snapshotDefinitions };
