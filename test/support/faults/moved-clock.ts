/**
 * Moves the clock of a process by CLOCK_MOVED_MS, as one that nobody sets: what asks for the time gets another one, and what
 * measures a duration does not notice. For `node --import`.
 */
const movedMs = Number(process.env.CLOCK_MOVED_MS ?? 0);
const now = () => Clock.now() + movedMs;
const Clock = globalThis.Date;

globalThis.Date = new Proxy(Clock, {
  construct: (target, given, made) => Reflect.construct(target, given.length === 0 ? [now()] : given, made),
  apply: () => new Clock(now()).toString(),
  get: (target, member) => (member === 'now' ? now : Reflect.get(target, member)),
});
