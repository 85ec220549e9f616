/** How a receiver comes to what the link shows: the code in the address is exchanged once, and then a cookie tells who asks. */
import { createClient, LongshoreError, type schemas } from '@longshore/client';
import { BASE } from '../../base.js';

/** The session of a receiver is none of an account: there is no login that could renew it. */
export const receiverApi = createClient({ baseUrl: `${location.origin}${BASE}` });

let opening: Promise<schemas.Receiver> | undefined;

/** The endpoint that the link is about. @throws LongshoreError */
export function presentReceiver(): Promise<schemas.Receiver> {
  const code = takeCode();
  if (code !== undefined) opening = open(code);
  const first = opening;
  opening = undefined;
  return first ?? receiverApi.getReceiver();
}

/** Who opens the same link again in the same browser has its session already. */
async function open(code: string): Promise<schemas.Receiver> {
  try {
    return await receiverApi.openReceiver({ body: { code } });
  } catch (refused) {
    if (!hasEnded(refused)) throw refused;
    return receiverApi.getReceiver();
  }
}

/** Whether the link shows nothing any more. */
export function hasEnded(error: unknown): boolean {
  return error instanceof LongshoreError && (error.status === 401 || error.code === 'WEBHOOK_NOT_FOUND');
}

/** The code does not stay in the address. */
function takeCode(): string | undefined {
  const code = new URLSearchParams(location.hash.slice(1)).get('code');
  if (code === null) return undefined;
  history.replaceState(history.state, '', location.pathname + location.search);
  return code;
}
