/** Tries what a form says of a feed: asks an SFTP server for its key first, then connects and lists. */
import type { schemas } from '@longshore/client';
import { useState } from 'react';
import { useApi } from '../../session/session-context.js';
import { connectionOf } from './connection-values.js';
import { type FeedValues, secretsOf } from './feed-values.js';
import type { NewFeed, Wanted } from './form-kind.js';
import type { Asked } from './host-key.js';

interface Tried {
  /** What was tried: another form needs another test. */
  readonly of: string;
  readonly test?: schemas.FeedTest;
  readonly error?: unknown;
}

/** @param staysStored as of secretsOf */
export function useConnectionTest(
  values: Pick<FeedValues, 'connection' | 'secret' | 'passphrase'>,
  wanted: Wanted,
  feedId: string | undefined,
  staysStored: boolean,
) {
  const api = useApi();
  const [tried, setTried] = useState<Tried>();
  const [asked, setAsked] = useState<Asked>();
  const [busy, setBusy] = useState<'test' | 'ask'>();
  const connection = connectionOf(values.connection) as NewFeed['connection'];
  const ofForm = JSON.stringify([connection, wanted, values.secret, values.passphrase]);

  const ask = async () => {
    setBusy('ask');
    setAsked(undefined);
    try {
      // Without the secret, the server is asked for its key and told nothing.
      const body = { connection: { ...connection, hostKey: null } as typeof connection, secret: null };
      const { hostKey, failure } = await api.testFeed({ body });
      if (hostKey !== null) setAsked({ kind: 'shown', hostKey });
      else if (failure !== null) setAsked({ kind: 'failed', failure });
    } catch (error) {
      setAsked({ kind: 'error', error });
    }
    setBusy(undefined);
  };

  const test = async () => {
    if (lacksHostKey(values)) return ask();
    setBusy('test');
    setTried(undefined);
    const body = {
      connection,
      ...wanted,
      ...secretsOf(values, staysStored),
      ...(feedId === undefined ? {} : { feedId }),
    };
    try {
      setTried({ of: ofForm, test: await api.testFeed({ body }) });
    } catch (error) {
      setTried({ of: ofForm, error });
    }
    setBusy(undefined);
  };

  return { ask, test, asked, busy, tried, isTried: tried?.of === ofForm, forget: () => setAsked(undefined) };
}

/** Nobody has said yet which key the server has. */
export function lacksHostKey({ connection: { kind, hostKey } }: Pick<FeedValues, 'connection'>): boolean {
  return kind === 'sftp' && hostKey.trim() === '';
}
