import type { ContentValue, Inspector } from '../inspector.ts'
import type { Task } from '../task.ts'
import type { Place, Treatment } from '../treatment.ts'
import { type OpenedValue, openValue } from './opened-value.ts'

/**
 * Inspects values with the bytes in them, as the texts that these may be read as. What was inspected is what remains:
 * ambiguous bytes become UTF-8. Bytes that are said to be text and cannot be read are a finding.
 *
 * @param treatment Default: nothing is reported or changed
 */
export function* inspectValues(
  inspector: Inspector,
  content: readonly ContentValue[],
  { place, treatment }: { place: Place; treatment?: Treatment | undefined },
): Task<readonly unknown[]> {
  const opened: (OpenedValue | undefined)[] = []
  for (const { value, mediaType } of content) opened.push(yield* openValue(value, { mediaType }))
  if (opened.every((each) => each === undefined)) return yield* inspector.values(content, place)
  if (treatment && opened.some((each) => each?.isUnreadable)) treatment.settle(unreadableIn(place), place)
  const readable = content.flatMap((each, index): ContentValue[] => {
    const own = opened[index]
    if (!own) return [each]
    const texts = own.texts.map((value) => ({ ...each, value }))
    return own.rest === undefined ? texts : [{ ...each, value: own.rest }, ...texts]
  })
  const treated = (yield* inspector.values(readable, place)).values()
  const take = (): unknown => treated.next().value
  const closed = content.map(({ value }, index) => {
    const own = opened[index]
    if (!own) return take()
    const rest = own.rest === undefined ? undefined : take()
    const texts = own.texts.map(() => take() as string)
    return treatment?.changes ? own.close(rest, texts) : value
  })
  return closed
}

function unreadableIn({ surface }: Place) {
  const detection = { type: 'unreadable', start: 0, end: 0, score: 1, recognizer: 'unreadable' }
  return {
    findings: [detection],
    reason:
      'A file is said to be text and cannot be read as text: it is neither UTF-8 nor UTF-16, nor in the charset that it declares, or no base64.',
    metadata: { surface, detections: [detection] },
  }
}
