import type { HiddenValue } from '../record/record-store.ts'
import type { RecordedEvent } from '../record/recorded-event.ts'
import type { DifferencePart } from '../wire.ts'
import { detectedValues, loadDetector } from './detect-values.ts'
import { differenceOf } from './difference.ts'

/** The replacements that guards write: `[REDACTED]`, `[EMAIL]`, `[EMAIL_3f2a9c1b04d2]`, `***@***.***`. */
const MARK = /\[[A-Z][A-Z0-9_ ]*(?:_[0-9a-f]{6,})?\]|\*{3}(?:@\*{3}\.\*{3})?/
const WHOLE_MARK = new RegExp(`^\\W*(?:${MARK.source})\\W*$`)

/** Maximum number of hidden values of a run. */
const MAX_VALUES = 500
/** Shorter values are not hidden elsewhere: they occur in too many words. */
const MIN_LENGTH = 4
const MAX_DOTS = 24

/** The values that guards replaced in a run, with their kinds. */
export async function findHidden(events: readonly RecordedEvent[]): Promise<HiddenValue[]> {
  const changes = events.filter((event) => event.name === 'processor-change')
  if (changes.length === 0) return []
  const detect = await loadDetector()
  const values = new Map<string, string>()
  for (const { before = '', after = '' } of changes) {
    const detected = detectedValues(before, detect)
    const difference = differenceOf(before, after)
    for (const [index, part] of difference.entries()) {
      if (part.type !== 'removed') continue
      const inside = detected.filter(({ value }) => part.text.includes(value) || value.includes(part.text))
      for (const { value, kind } of inside) values.set(value, kind)
      const next = difference[index + 1]
      const mark = next?.type === 'added' && WHOLE_MARK.test(next.text) ? next.text : undefined
      if (mark !== undefined && inside.length === 0) values.set(part.text.trim(), kindOf(mark))
    }
    if (values.size >= MAX_VALUES) break
  }
  return [...values]
    .filter(([value]) => value.length >= MIN_LENGTH)
    .slice(0, MAX_VALUES)
    .map(([value, kind]) => ({ value, kind }))
    .sort((a, b) => b.value.length - a.value.length)
}

function kindOf(mark: string): string {
  const name = /\[([A-Z][A-Z0-9_ ]*?)(?:_[0-9a-f]{6,})?\]/.exec(mark)?.[1]?.toLowerCase()
  if (name !== undefined && name !== 'redacted') return name
  return mark.includes('@') ? 'email' : 'redacted'
}

/** Hides values wherever they occur in texts. */
export class ValueMask {
  readonly #kinds: ReadonlyMap<string, string>
  readonly #pattern: RegExp | undefined

  constructor(values: readonly HiddenValue[]) {
    const forms = values.flatMap(({ value, kind }) => {
      const escaped = JSON.stringify(value).slice(1, -1)
      const twice = JSON.stringify(escaped).slice(1, -1)
      return [...new Set([value, escaped, twice])].map((form) => [form, kind] as const)
    })
    this.#kinds = new Map(forms)
    const sources = forms.map(([form]) => form).sort((a, b) => b.length - a.length)
    this.#pattern =
      sources.length > 0 ? new RegExp(sources.map((form) => escapedPattern(form)).join('|'), 'g') : undefined
  }

  hide(text: string): string {
    return this.#pattern ? text.replace(this.#pattern, (value) => dotsFor(value)) : text
  }

  /** The parts of a difference, with hidden values as parts of their own. */
  hideParts(parts: readonly DifferencePart[], { revealed }: { revealed: boolean }): DifferencePart[] {
    const pattern = this.#pattern
    if (!pattern) return [...parts]
    return parts.flatMap((part) => {
      const out: DifferencePart[] = []
      let end = 0
      for (const { 0: value, index } of part.text.matchAll(pattern)) {
        if (index > end) out.push({ ...part, text: part.text.slice(end, index) })
        const kind = this.#kinds.get(value)
        out.push({
          type: part.type,
          text: revealed ? value : dotsFor(value),
          ...(!revealed && { hidden: true }),
          ...(kind !== undefined && { kind }),
        })
        end = index + value.length
      }
      if (end < part.text.length) out.push({ ...part, text: part.text.slice(end) })
      return out
    })
  }
}

function dotsFor(value: string): string {
  return '•'.repeat(Math.min(value.length, MAX_DOTS))
}

function escapedPattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
