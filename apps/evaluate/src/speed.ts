import type { Recognizer } from '@millrace/guards/scanner'
import { Scanner } from '@millrace/guards/scanner'
import { secretRecognizers } from '@millrace/guards/secrets'
import type { Report, ReportRow } from '@millrace/injection-model'
import { piiRecognizers } from '@millrace/pii'
import { HOSTILE_PIECES, repeated } from '@millrace/testing/growth'

/** What a detector of a few types in one expression would be: the bar for all of ours together. */
const COMBINED =
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|\b\d{3}-\d{2}-\d{4}\b|\b(?:\d[ -]?){12,18}\d\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b|(?:\+?\d{1,3}[ .-]?)?\(?\d{2,4}\)?[ .-]?\d{3,4}[ .-]?\d{3,4}\b|https?:\/\/\S{1,200}/g

const TURNS = 15

/** Megabytes a second over `text`, and, if asked for, how the time grows from 64 KB to 1 MB of hostile text. */
export async function evaluateSpeed(text: string, { hostile }: { hostile: boolean }): Promise<Report> {
  const search = (): number => [...text.matchAll(COMBINED)].length
  let combined = bestOf(search)
  const lists: [string, readonly Recognizer[]][] = [
    ['PIIDetector', await piiRecognizers()],
    ['SecretDetector', await secretRecognizers()],
  ]
  const rows = lists.map(([guard, recognizers]): ReportRow => {
    const scanner = new Scanner(recognizers)
    // In turns, so that what else the machine does slows both.
    let time = Number.POSITIVE_INFINITY
    for (let turn = 0; turn < TURNS; turn++) {
      time = Math.min(
        time,
        bestOf(() => scanner.detect(text), 1),
      )
      combined = Math.min(combined, bestOf(search, 1))
    }
    return {
      type: guard,
      found: scanner.detect(text).length,
      missed: 0,
      'MB/s': text.length / time / 1_000,
      'times one pattern': time / combined,
      ...(hostile && { 'worst growth': worstGrowth(scanner) }),
    }
  })
  return {
    guard: 'Speed',
    file: 'ordinary text',
    rows: rows.map(({ missed: _, ...row }) => row as ReportRow),
    summary: { 'MB/s of one combined pattern': text.length / combined / 1_000 },
    mistakes: [],
  }
}

/** Sixteen times the text: 16 is linear, 256 quadratic. */
function worstGrowth(scanner: Scanner): number {
  return Math.max(
    ...HOSTILE_PIECES.map((piece) => {
      const [short, long] = [repeated(piece, 65_536), repeated(piece, 1_048_576)]
      const once = bestOf(() => scanner.detect(short), 3)
      return bestOf(() => scanner.detect(long), 1) / once
    }),
  )
}

/** Milliseconds of the fastest of several runs. */
function bestOf(run: () => unknown, times = 9): number {
  let best = Number.POSITIVE_INFINITY
  for (let count = 0; count < times; count++) {
    const start = performance.now()
    run()
    best = Math.min(best, performance.now() - start)
  }
  return best
}
