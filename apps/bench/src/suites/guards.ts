import { Scanner } from '@millrace/guards/scanner'
import { secretRecognizers } from '@millrace/guards/secrets'
import { piiRecognizers } from '@millrace/pii'
import type { Figure, Suite } from '../figure.ts'
import { measure, quantile } from '../measure.ts'
import { chatText, HOSTILE_TEXTS } from '../sample-text.ts'

/** A detector of a few types as one bounded expression: the baseline for all guards together. */
const COMBINED =
  /[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,4}|\b\d{3}-\d{2}-\d{4}\b|\b(?:\d[ -]?){12,18}\d\b|\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){3,7}\b|\b(?:\d{1,3}\.){3}\d{1,3}\b|(?:\+?\d{1,3}[ .-]?)?\(?\d{2,4}\)?[ .-]?\d{3,4}[ .-]?\d{3,4}\b|https?:\/\/\S{1,200}/g

/** Guards on text, compared with one combined pattern, for chat and hostile text. */
export const guardsSuite: Suite = {
  name: 'guards',
  about: 'detectors, compared with one combined pattern on the same text',
  async run({ quick }) {
    const text = chatText(quick ? 200_000 : 1_000_000)
    const pii = new Scanner(await piiRecognizers())
    const secrets = new Scanner(await secretRecognizers())
    const measurements = await measure({
      name: `${text.length / 1_000} kB of chat`,
      contestants: [
        { name: 'one pattern', run: () => [...text.matchAll(COMBINED)].length },
        { name: 'PII', run: () => pii.detect(text) },
        { name: 'secrets', run: () => secrets.detect(text) },
      ],
      budgets: { PII: 2.5 },
      rounds: quick ? 9 : 21,
      warmups: 3,
    })
    const [, { median = Number.NaN } = {}] = measurements
    const figures: Figure[] = [
      { name: 'PII, every recognizer', value: text.length / median / 1_000, unit: 'MB/s' },
      ...Object.entries(HOSTILE_TEXTS).map(([name, make]) => ({
        name: `16 times as much hostile text (${name})`,
        value: growth((length) => pii.detect(make(length))),
        unit: 'times the time',
        // Linear time is 16, quadratic time 256. Noise may double it.
        budget: 48,
      })),
    ]
    return { measurements, figures }
  },
}

/** The ratio of the time for 512 kB to that for 32 kB. */
function growth(run: (length: number) => unknown): number {
  const timeOf = (length: number): number => {
    const times = Array.from({ length: 5 }, () => {
      const started = performance.now()
      run(length)
      return performance.now() - started
    })
    return quantile(times, 0)
  }
  return timeOf(524_288) / timeOf(32_768)
}
