/** The session and the stage that a page is about, and the client that asks the API for them. */
import { createClient, type LongshoreClient } from '@longshore/client';
import { createContext, useContext, useMemo } from 'react';
import { BASE } from '../base.js';
import type { Session, Stage } from './session.js';
import { mayDo, personOf } from './session.js';
import { transport } from './transport.js';

interface Present {
  readonly session: Session;
  /** Undefined: the account has no such stage yet; it comes into being with what is first written to it. */
  readonly stage: Stage;
}

const SessionContext = createContext<Present | undefined>(undefined);

export const SessionProvider = SessionContext.Provider;

/** @throws Error outside of the pages that need a session */
export function usePresent(): Present {
  const present = useContext(SessionContext);
  if (present === undefined) throw new Error('there is no session here');
  return present;
}

/**
 * Whose that is what a window keeps: of a person in an account and a stage, or of the address where there is no session, as behind
 * a receiver's link.
 */
export function useOwner(): string {
  const present = useContext(SessionContext);
  return present === undefined ? location.pathname : `${personOf(present.session)}.${present.stage.name}`;
}

/** Whether the token of the session has this scope: a control that it may not use is not shown. */
export function useMay(scope: string): boolean {
  return mayDo(usePresent().session, scope);
}

/** Whether a file may be imported, at once or with an approval. */
export function useMayImport(): boolean {
  const { session } = usePresent();
  return mayDo(session, 'catalog:write') || mayDo(session, 'catalog:propose');
}

/** The API, for the account and the stage that are shown. */
export function useApi(): LongshoreClient {
  const { session, stage } = usePresent();
  return useMemo(() => apiOf(session.accountId, stage.name), [session.accountId, stage.name]);
}

/** @param onUpload how many bytes of an upload were sent */
export function apiOf(account: string, stage: string, onUpload?: (bytes: number) => void): LongshoreClient {
  const baseUrl = `${location.origin}${BASE}`;
  return createClient({ baseUrl, site: { account, stage }, fetch: transport(onUpload) });
}
