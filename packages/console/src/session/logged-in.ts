/** The session as a whole, for the frame: the pages have `usePresent`. */
import { createContext, useContext } from 'react';
import type { Session } from './session.js';

interface LoggedIn {
  readonly session: Session;
  /** Another session of the same token, or of another one. */
  readonly renew: (session: Session) => void;
  /** Shows the login. */
  readonly leave: () => void;
}

export const LoggedInContext = createContext<LoggedIn | undefined>(undefined);

/** @throws Error outside of the frame */
export function useLoggedIn(): LoggedIn {
  const loggedIn = useContext(LoggedInContext);
  if (loggedIn === undefined) throw new Error('nobody is logged in here');
  return loggedIn;
}
