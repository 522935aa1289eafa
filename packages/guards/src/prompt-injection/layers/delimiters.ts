import { type Layer, type Sign, type SignHit, wordAt } from './layer.ts'

const MARKS: readonly (readonly [Sign, RegExp])[] = [
  [
    'delimiter',
    /<\|?(?:im_start|im_end|endoftext|system|user|assistant|begin_of_text|eot_id|start_header_id|end_header_id)\|>|\[\/?(?:INST|SYSTEM|SYS)\]|<<\/?SYS>>|<\/?(?:system|instructions?|sys|assistant|user_input|tool_response|untrusted|document|context|information|important|admin|override)(?:[_ -]?(?:prompt|message|note))?>|<(?:start|end)_of_turn>/gi,
  ],
  [
    'fake-turn',
    /(?:^|\n)[ \t>#*_=[-]{0,8}(?:system|developer|assistant|admin|administrator)(?:[ _](?:message|prompt|instructions?|override|note|notice|update))?[ \t\]*_]{0,4}:/gi,
  ],
  [
    'fake-turn',
    /(?:#{2,6}|[*=]{2,6}|\[)[ \t]{0,2}\(?(?:system|admin|developer|assistant)[ _-]?(?:message|prompt|note|notice|instructions?|override|update)\)?/gi,
  ],
  [
    'fake-turn',
    /(?:^|\n)[ \t]{0,4}(?:-{3,20}|={3,20}|#{3,20})[ \t]{0,4}(?:end|begin|start|new|system|ignore|stop)\b/gi,
  ],
  [
    'fake-turn',
    /\n[ \t]{0,4}(?:human|user|assistant|ai)[ \t]{0,2}:[^\n]{0,400}\n{1,3}[ \t]{0,4}(?:assistant|ai|human|user)[ \t]{0,2}:/gi,
  ],
]

/** Finds syntax that prompts are assembled with: control tokens, tags, turns of a conversation. */
export const findDelimiters: Layer = (read) => {
  const hits: SignHit[] = []
  for (const [sign, pattern] of MARKS) {
    // Most texts have none, and searching for the first match is cheaper than preparing an iterator.
    if (read.text.search(pattern) < 0) continue
    for (const { 0: match, index } of read.text.matchAll(pattern)) {
      const from = Math.min(wordAt(read, index), Math.max(0, read.words.length - 1))
      hits.push({ sign, from, to: Math.max(from + 1, wordAt(read, index + match.length)) })
    }
  }
  return hits
}
