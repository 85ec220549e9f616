/** The pages of a stage: what they ask the API for is about this one. */
import { Outlet, useMatches, useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { keepStage } from '../session/kept-stage.js';
import { useLoggedIn } from '../session/logged-in.js';
import { mayDo } from '../session/session.js';
import { SessionProvider } from '../session/session-context.js';
import { RefusedPage } from './missing-page.js';

export function StageFrame() {
  const { session } = useLoggedIn();
  const { stage: name } = useParams({ from: '/$stage' });
  const needs = useMatches({ select: (matches) => matches.at(-1)?.staticData.needs });
  const isAllowed = needs === undefined || needs.some((scope) => mayDo(session, scope));
  useEffect(() => keepStage(name), [name]);
  const present = useMemo(() => {
    const stage = session.stages.find((one) => one.name === name) ?? { name, live: false, createdAt: null };
    return { session, stage };
  }, [session, name]);
  return <SessionProvider value={present}>{isAllowed ? <Outlet key={name} /> : <RefusedPage />}</SessionProvider>;
}
