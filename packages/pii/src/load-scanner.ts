import { yieldToEventLoop } from '@millrace/guards/guard'
import type { Recognizer } from '@millrace/guards/scanner'
import type { FoldedScanner } from './folded-scanner.ts'
import { type PIISelection, piiRecognizers } from './recognizers.ts'

interface ScannerChoice {
  readonly threshold: number | undefined
  /** Recognisers of the user's own. */
  readonly recognizers: readonly Recognizer[]
}

/** By selection and threshold: what a scanner learns of texts, all detectors with the same options use. */
const shared = new Map<string, Promise<FoldedScanner>>()
const MOST_SHARED = 16

/** The scanner of a selection: one for all who ask for the same, unless they have recognisers of their own. */
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
  // A failure is not kept: the next one tries again.
  loading.catch(() => {
    if (shared.get(key) === loading) shared.delete(key)
  })
  return loading
}

async function newScanner(
  selection: PIISelection,
  { threshold, recognizers }: ScannerChoice,
): Promise<FoldedScanner> {
  // One after the other, with the event loop free between them: a module is compiled at one stretch.
  await yieldToEventLoop()
  const { Scanner } = await import('@millrace/guards/scanner')
  await yieldToEventLoop()
  const { FoldedScanner } = await import('./folded-scanner.ts')
  const known = [...(await piiRecognizers(selection)), ...recognizers]
  return new FoldedScanner(await Scanner.load(known, threshold === undefined ? {} : { threshold }))
}
