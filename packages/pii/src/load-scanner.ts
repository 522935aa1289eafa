import { yieldToEventLoop } from '@millrace/guards/guard'
import type { Recognizer } from '@millrace/guards/scanner'
import type { FoldedScanner } from './folded-scanner.ts'
import { type PIISelection, piiRecognizers } from './recognizers.ts'

interface ScannerChoice {
  readonly threshold: number | undefined
  /** The user's own recognizers. */
  readonly recognizers: readonly Recognizer[]
}

/** By selection and threshold: detectors with the same options share a scanner and its automaton. */
const shared = new Map<string, Promise<FoldedScanner>>()
const MOST_SHARED = 16

/** The scanner for a selection. It is shared, unless there are recognizers of the user. */
export function loadScanner(selection: PIISelection, choice: ScannerChoice): Promise<FoldedScanner> {
  if (choice.recognizers.length > 0) return newScanner(selection, choice)
  const { types, regions } = selection
  const key = JSON.stringify([types, regions, choice.threshold])
  const known = shared.get(key)
  if (known) return known
  const loading = newScanner(selection, choice)
  const [oldest] = shared.keys()
  if (oldest !== undefined && shared.size >= MOST_SHARED) shared.delete(oldest)
  shared.set(key, loading)
  // A failed load is not cached: the next call tries again.
  loading.catch(() => {
    if (shared.get(key) === loading) shared.delete(key)
  })
  return loading
}

async function newScanner(
  selection: PIISelection,
  { threshold, recognizers }: ScannerChoice,
): Promise<FoldedScanner> {
  // One after the other, yielding to the event loop in between: compiling a module cannot be interrupted.
  await yieldToEventLoop()
  const { Scanner } = await import('@millrace/guards/scanner')
  await yieldToEventLoop()
  const { FoldedScanner } = await import('./folded-scanner.ts')
  const known = [...(await piiRecognizers(selection)), ...recognizers]
  return new FoldedScanner(await Scanner.load(known, threshold === undefined ? {} : { threshold }))
}
