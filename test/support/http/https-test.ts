/** What the tests of addresses behind https share: servers, and what is opened at them. */
import type { openHttpsFile } from '../../../src/platform/remote/https-file.js';
import type { Connection, RemoteFolder } from '../../../src/platform/remote/remote-folder.js';
import { AUTHORITY } from '../faults/certificates.js';
import { type Answer, type HttpsServer, startHttps } from './https-server.js';
import { closedAfterEach, LOOPBACK_GUARD, PATIENT_MS } from './remote-test.js';

export interface HttpsOptions {
  readonly auth?: Extract<Connection, { readonly kind: 'https' }>['auth'];
  readonly secret?: string | null;
  readonly guard?: typeof LOOPBACK_GUARD;
  readonly idleMs?: number;
}

interface HttpsTest {
  serve(answer: Answer, certificate?: string): Promise<HttpsServer>;
  open(url: string, options?: HttpsOptions): Promise<RemoteFolder>;
}

/** Call it in the suite: what a test serves and opens is closed after it. */
export function httpsTest(
  opening: (...given: Parameters<typeof openHttpsFile>) => ReturnType<typeof openHttpsFile>,
): HttpsTest {
  const closers = closedAfterEach();
  return {
    serve: async (answer, certificate) => {
      const server = await startHttps(answer, certificate);
      closers.push(server.close);
      return server;
    },
    open: async (url, { auth, secret = null, guard = LOOPBACK_GUARD, idleMs = PATIENT_MS } = {}) => {
      const options = { guard, idleMs, authorities: AUTHORITY };
      const { folder } = await opening({ kind: 'https', url, auth }, { secret }, options);
      closers.push(() => folder.close());
      return folder;
    },
  };
}
