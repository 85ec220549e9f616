/** The thread that opens a private key of SSH: see open-private-key.ts. */
import { parentPort, workerData } from 'node:worker_threads';
import ssh2 from 'ssh2';
import type { LockedKey } from './open-private-key.js';

const { key, passphrase } = workerData as LockedKey;
const parsed: unknown = ssh2.utils.parseKey(key, passphrase);
const opened: unknown = Array.isArray(parsed) ? parsed[0] : parsed;
parentPort?.postMessage(opened instanceof Error ? null : (opened as ssh2.ParsedKey).getPrivatePEM());
