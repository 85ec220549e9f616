/** The pages of a stage: what they ask the API for is about this one. */
import { Outlet, useParams } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import { keepStage } from '../session/kept-stage.js';
import { useLoggedIn } from '../session/logged-in.js';
import { SessionProvider } from '../session/session-context.js';

export function StageFrame() {
  const { session } = useLoggedIn();
  const { stage: name } = useParams({ from: '/$stage' });
  useEffect(() => keepStage(name), [name]);
  const present = useMemo(() => {
    const stage = session.stages.find((one) => one.name === name) ?? { name, live: false, createdAt: null };
    return { session, stage };
  }, [session, name]);
  return (
    <SessionProvider value={present}>
      <Outlet key={name} />
    </SessionProvider>
  );
}
