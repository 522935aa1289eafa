const QUESTIONS = [
  'Where is my order 1042?',
  'Please refund order 1042',
  'How do I care for my chain?',
  'Do you promise that it comes tomorrow?',
  'How can I contact your mechanic?',
  'Is there a voucher code?',
]

/** What a conversation begins with. */
export function Welcome({ onAsk }: { onAsk: (text: string) => void }) {
  return (
    <div className="welcome">
      <h2>How can we help?</h2>
      <p>Ask about an order, a refund, or your bicycle. This shop is invented, and so are its answers.</p>
      <ul className="questions" aria-label="Questions to begin with">
        {QUESTIONS.map((question) => (
          <li key={question}>
            <button type="button" className="question" onClick={() => onAsk(question)}>
              {question}
            </button>
          </li>
        ))}
      </ul>
    </div>
  )
}
