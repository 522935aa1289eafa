import { textRows } from '../texts/text-rows.ts'
import { spinAll } from '../train/spin.ts'

/**
 * Harmless texts with the words of attacks, by language, which are never in the training data: at least 600 in all.
 * Deterministic.
 */
export function hardNegatives(): Record<string, string[]> {
  const templates = textRows('evaluation/hard-negatives')
  const languages = [...new Set(templates.map(({ lang }) => lang))]
  const texts = Object.fromEntries(
    languages.map((language) => [
      language,
      spinAll(
        templates.filter(({ lang }) => lang === language),
        4_711,
      ),
    ]),
  )
  for (const { text, lang } of textRows('evaluation/everyday-triggers')) texts[lang]?.push(text)
  return texts
}
