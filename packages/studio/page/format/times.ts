const STEPS: readonly [limit: number, unit: Intl.RelativeTimeFormatUnit, size: number][] = [
  [60, 'second', 1],
  [3_600, 'minute', 60],
  [86_400, 'hour', 3_600],
  [604_800, 'day', 86_400],
]

const relative = new Intl.RelativeTimeFormat('en', { style: 'narrow', numeric: 'auto' })
const dates = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const moments = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeStyle: 'medium' })

/** `5s ago`, `in 2 hr.`; a date if it is more than a week away. */
export function formatAgo(time: number, now: number = Date.now()): string {
  const seconds = Math.round((time - now) / 1_000)
  const step = STEPS.find(([limit]) => Math.abs(seconds) < limit)
  if (!step) return dates.format(time)
  const [, unit, size] = step
  return relative.format(Math.trunc(seconds / size), unit)
}

export function formatMoment(time: number): string {
  return moments.format(time)
}
