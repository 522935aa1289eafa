import type { Refusal, Refuse } from './refusal.ts'

/** What of `generateContent`'s request the rules are about: https://ai.google.dev/api/generate-content */
interface GoogleBody {
  systemInstruction?: { parts: { text: string }[] }
  contents: { role: 'user' | 'model'; parts: GooglePart[] }[]
}

interface GooglePart {
  text?: string
  thoughtSignature?: string
  functionCall?: object
  functionResponse?: object
}

/** As Google refuses: `{ error: { code, message, status } }` with the status 400. */
export const refuseGoogle: Refuse<GoogleBody> = ({ systemInstruction, contents }) => {
  if (systemInstruction?.parts.some(({ text }) => text === ''))
    return refuse(
      'Unable to submit request because it must have a text parameter. Add a text parameter and try again.',
    )
  if (contents.length === 0) return refuse('* GenerateContentRequest.contents: contents is not specified\n')
  for (const [index, { role, parts }] of contents.entries()) {
    if (parts.length === 0)
      return refuse(`* GenerateContentRequest.contents[${index}].parts: contents.parts must not be empty.\n`)
    if (parts.some(({ text, thoughtSignature }) => text === '' && thoughtSignature === undefined))
      return refuse(
        'Unable to submit request because it must have a text parameter. Add a text parameter and try again.',
      )
    const before = contents[index - 1]
    const calls = parts.filter(({ functionCall }) => functionCall).length
    if (calls > 0 && before?.role !== 'user')
      return refuse(
        'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
      )
    const responses =
      contents[index + 1]?.parts.filter(({ functionResponse }) => functionResponse).length ?? 0
    if (role === 'model' && calls !== responses)
      return refuse(
        'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
      )
    if (role === 'user' && parts.some(({ functionResponse }) => functionResponse) && before?.role !== 'model')
      return refuse('Please ensure that function response turn comes immediately after a function call turn.')
  }
  if (contents.at(-1)?.role === 'model')
    return refuse('Please ensure that multiturn requests end with a user role or a function response.')
  return undefined
}

function refuse(message: string): Refusal {
  return { status: 400, body: { error: { code: 400, message, status: 'INVALID_ARGUMENT' } } }
}
