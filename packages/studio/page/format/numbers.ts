import type { Cost, Tokens } from '../../src/wire.ts'

/** At most three significant digits: `0.4 ms`, `12 ms`, `1.24 s`, `2 m 03 s`. */
export function formatDuration(milliseconds: number): string {
  if (milliseconds < 10) return `${Number(milliseconds.toFixed(1))} ms`
  if (milliseconds < 999.5) return `${Math.round(milliseconds)} ms`
  if (milliseconds < 59_950)
    return `${Number((milliseconds / 1_000).toFixed(milliseconds < 9_995 ? 2 : 1))} s`
  const seconds = Math.round(milliseconds / 1_000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} m ${pad(seconds % 60)} s`
  return `${Math.floor(minutes / 60)} h ${pad(minutes % 60)} m`
}

const pad = (count: number): string => String(count).padStart(2, '0')

const counts = new Intl.NumberFormat('en')
const shortCounts = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 })

export function formatCount(count: number): string {
  return counts.format(count)
}

/** `940`, `12.3K`. */
export function formatShortCount(count: number): string {
  return shortCounts.format(count)
}

/** The total of tokens, if it is known. */
export function tokenTotal({ totalTokens, inputTokens, outputTokens }: Tokens): number | undefined {
  if (totalTokens !== undefined) return totalTokens
  if (inputTokens === undefined && outputTokens === undefined) return undefined
  return (inputTokens ?? 0) + (outputTokens ?? 0)
}

/** With the digits that small amounts need: `$0.0042`. An incomplete amount starts with `≥`. */
export function formatCost({ amount, currency, partial = false }: Cost): string {
  const digits = amount === 0 || amount >= 1 ? 2 : Math.min(6, 1 - Math.floor(Math.log10(amount)))
  return `${partial ? '≥ ' : ''}${money(currency, digits).format(amount)}`
}

function money(currency: string, digits: number): Intl.NumberFormat {
  const options = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency, ...options })
  } catch {
    // Not a currency code: prices may be in credits.
    return new Intl.NumberFormat('en', options)
  }
}

export function formatPercent(share: number): string {
  return `${Math.round(share * 100)} %`
}

/** `1 step`, `3 steps`. */
export function plural(count: number, one: string, many: string = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`
}
