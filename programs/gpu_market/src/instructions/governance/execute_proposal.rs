use super::{market_call, upgrade_call, voted_accounts};
use crate::*;
use pinocchio::cpi::{Seed, Signer as PdaSigner};

#[event_cpi]
#[derive(Accounts)]
pub struct ExecuteProposal {
    /// Lends the rent of an account that the action creates. May be whom the treasury pays, who only receives lamports.
    #[account(mut, unsafe(dup))]
    pub caller: Signer,
    #[account(mut)]
    pub proposal: Account<Proposal>,
    /// The market's authority, the treasury's owner and the program's upgrade authority.
    #[account(mut, seeds = [b"governance"], bump)]
    pub governance: UncheckedAccount,
}

/// The remaining accounts are those of the action:
/// - of a market instruction its own accounts between the authority and the event authority;
/// - of a treasury transfer the governance's token account, the recipient's associated one (any of theirs if they execute it,
///   their wallet for SOL), and the token program;
/// - of an upgrade see [`upgrade_call`].
///
/// The action comes last, since an upgraded program runs nothing more in its slot.
pub fn execute_proposal(ctx: &mut Context<ExecuteProposal>) -> Result<()> {
    let others = ctx.remaining_accounts()?;
    let at = Clock::get()?.unix_timestamp;
    let proposal = &mut ctx.accounts.proposal;
    let action = proposal.action()?;
    voted_accounts::require(&action, &others)?;
    proposal.execute(at)?;
    let by = *ctx.accounts.caller.address();
    let event = ProposalExecuted { proposal: *proposal.address(), by, at, seq: proposal.next_seq(), action };
    emit_event!(ctx, event)?;

    let bump = [ctx.bumps.governance];
    let seeds = [Seed::from(b"governance".as_slice()), Seed::from(&bump)];
    let signers = [PdaSigner::from(&seeds)];
    match action {
        Action::TreasuryTransfer { mint, to, amount } => {
            let [from, recipient, _] = others.as_slice() else { return Err(MarketError::WrongAction.into()) };
            let governance = ctx.accounts.governance.account();
            let balance = token::balance_of(from, &mint, governance.address())?;
            require!(balance >= amount, MarketError::InsufficientFunds);
            let due = Due { mint: &mint, amount, from, caller: &by, lamports: 0 };
            Payee::new(&to, recipient).require_can_take(&due)?;
            token::pay_out(from, &mint, recipient, governance, amount, &signers);
            Ok(())
        }
        Action::UpgradeProgram { sha256, .. } => upgrade_call::invoke(&ctx.accounts, &others, &sha256, &signers),
        _ => market_call::invoke(&ctx.accounts, &others, &action, &signers),
    }
}
