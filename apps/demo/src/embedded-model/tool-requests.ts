import type { Dialogue } from './dialogue.ts'

export interface ToolRequest {
  toolName: string
  input: Record<string, string>
}

/** The question of the model if the weather is requested without a city. */
export const WHICH_CITY = 'For which city?'

/** The tools that the question needs, weather first. */
export function toolRequests({ question, previousAnswer }: Dialogue): ToolRequest[] {
  const cities = previousAnswer.endsWith(WHICH_CITY) ? citiesIn(question) : citiesAskedFor(question)
  const expression = expressionIn(question)
  return [
    ...cities.map((city) => ({ toolName: 'weather', input: { city } })),
    ...(expression === undefined ? [] : [{ toolName: 'calculate', input: { expression } }]),
    ...sluiceRequests(question),
  ]
}

function sluiceRequests(question: string): ToolRequest[] {
  const [, verb] = /\b(open|close|shut)\b.{0,20}\b(?:sluice|gate)\b/i.exec(question) ?? []
  if (verb === undefined) return []
  return [{ toolName: 'sluice', input: { position: verb.toLowerCase() === 'open' ? 'open' : 'closed' } }]
}

export function isAboutWeather(question: string): boolean {
  return /\b(?:weather|forecast|temperature|rain(?:y|ing)?|sunny|how (?:warm|cold|hot))\b/i.test(question)
}

function citiesAskedFor(question: string): string[] {
  if (!isAboutWeather(question)) return []
  return citiesIn(/\b(?:in|at|for)\s+([^?!.;]+)/i.exec(question)?.[1] ?? '')
}

/** `Oslo, New York and rome today` has three cities. */
function citiesIn(list: string): string[] {
  return list
    .replace(/\b(?:today|tomorrow|now|right now|please)\b/gi, '')
    .split(/,|&|\band\b/i)
    .map((name) => name.replace(/[?!.]+$/, '').trim())
    .filter((name) => /^\p{L}[\p{L}' -]{0,40}$/u.test(name))
    .filter((name) => !/^(?:what|how|who|tell|the|is)\b/i.test(name) && name.split(' ').length <= 3)
    .map((name) => name.replace(/(?<![\p{L}'])\p{L}/gu, (letter) => letter.toUpperCase()))
}

function expressionIn(question: string): string | undefined {
  const symbols = question
    .replace(/\b(?:times|multiplied by)\b|[×·]|(?<=\d\s*)x(?=\s*\d)/gi, '*')
    .replace(/\bdivided by\b|÷/gi, '/')
    .replace(/\bplus\b/gi, '+')
    .replace(/\bminus\b/gi, '-')
  const candidates = symbols.match(/[-(\d.][\d\s.()+\-*/^]*[\d)]/g) ?? []
  return candidates.find((text) => /[\d)]\s*[-+*/^]\s*[-(\d.]/.test(text))?.trim()
}
