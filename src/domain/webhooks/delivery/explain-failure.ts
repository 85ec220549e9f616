/** Tells the classes of failed requests apart, and the target's faults from our own. */
import type { SendFailure } from './send-result.js';

/** What this machine or its name servers lack. */
const OURS = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EADDRNOTAVAIL', 'EAI_MEMORY', 'EAI_SYSTEM']);
const DNS = new Set([
  'ENOTFOUND',
  'ENODATA',
  'ESERVFAIL',
  'EREFUSED',
  'EFORMERR',
  'ENOTIMP',
  'ETIMEOUT',
  'EBADRESP',
  'EBADNAME',
  'EBADQUERY',
]);
const TIME_OUT = new Set(['UND_ERR_CONNECT_TIMEOUT', 'ETIMEDOUT']);
const TLS = /^(?:ERR_TLS|ERR_SSL|CERT_|EPROTO|SELF_SIGNED|DEPTH_ZERO|UNABLE_TO_)|_CERT|^HOSTNAME_MISMATCH$/;

/** null: a fault of ours, nothing can be said of the target. */
export function explainFailure(error: Error, secure: boolean): SendFailure | null {
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  if (error.name === 'ResolverOutOfReachError' || OURS.has(code)) return null;
  if (code === 'BLOCKED_ADDRESS') return 'blocked';
  if (TIME_OUT.has(code)) return 'time-out';
  if (DNS.has(code) || code.startsWith('EAI_')) return 'dns';
  if (TLS.test(code)) return 'tls';
  if (code === 'ECONNREFUSED') return 'refused';
  // What a server that speaks no TLS, or ends it, leaves behind.
  if (secure && /secure TLS connection/i.test(error.message)) return 'tls';
  return 'connection';
}
