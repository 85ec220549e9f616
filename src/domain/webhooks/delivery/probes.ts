/** The probes of this process, for which its other deliveries to the same endpoint wait. */
import { within } from '../../../platform/concurrency/within.js';
import { PROBE_PAUSE_MS } from './admit-delivery.js';

/** A probe on its way. */
interface RunningProbe {
  readonly succeeded: Promise<boolean>;
  /** Deliveries that wait in this process for its result. */
  waiting: number;
}

export class Probes {
  /** The probes that have not ended, or have just succeeded, by the definition. */
  readonly #running = new Map<string, RunningProbe>();
  readonly #mostWaiting: number;

  /** @param mostWaiting how many deliveries wait for one probe */
  constructor(mostWaiting: number) {
    this.#mostWaiting = mostWaiting;
  }

  /** Whether an endpoint is being probed, or a probe of it has just succeeded. */
  has(definitionId: string): boolean {
    return this.#running.has(definitionId);
  }

  /** Makes a probe known to the other deliveries. @returns what is to be called at its end */
  begin(definitionId: string): (succeeded: boolean) => void {
    let end: (succeeded: boolean) => void = () => undefined;
    const succeeded = new Promise<boolean>((resolve) => {
      end = resolve;
    });
    const probe = { succeeded, waiting: 0 };
    this.#running.set(definitionId, probe);
    const forget = () => {
      if (this.#running.get(definitionId) === probe) this.#running.delete(definitionId);
    };
    // For a while deliveries are loaded, or were, that do not know of a success, which is still to be recorded.
    void succeeded.then((isWell) => {
      if (isWell) setTimeout(forget, PROBE_PAUSE_MS).unref();
      else forget();
    });
    return end;
  }

  /** Waits for the probe of an endpoint. @returns whether it has succeeded; false: or it takes long, or many wait for it */
  async hasSucceeded(definitionId: string): Promise<boolean> {
    const probe = this.#running.get(definitionId);
    if (probe === undefined || probe.waiting >= this.#mostWaiting) return false;
    probe.waiting++;
    const hasEnded = await within(probe.succeeded, PROBE_PAUSE_MS);
    probe.waiting--;
    return hasEnded && (await probe.succeeded);
  }
}
