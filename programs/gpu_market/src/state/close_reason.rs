use crate::*;

/// Why a rental ended.
#[derive(AnchorSerialize, AnchorDeserialize, IdlType, Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum CloseReason {
    /// The paid time ran out.
    Expired,
    /// The renter stopped a running rental.
    Stopped,
    /// The renter withdrew before the start.
    Withdrawn,
    /// The host did not start in time.
    ProvisionTimeout,
    /// The host's heartbeats stopped.
    HostOffline,
    /// The host gave up: a fault of the machine.
    HostFault,
    /// The host gave up: maintenance.
    HostMaintenance,
    /// The host will not run this order, for a reason that none of the next three gives.
    OrderRefused,
    /// A higher bid, or an order of another kind at no lower price, took the machine.
    Preempted,
    /// A better order took the place of one that waited.
    Outbid,
    /// The order waited and the machine never came.
    TakeOverTimeout,
    /// The host refuses: the order document has not reached it.
    OrderUndelivered,
    /// The host refuses: it cannot open the order document, or it says nothing that can be run.
    OrderUnreadable,
    /// The host refuses: the machine cannot run what the order document says.
    OrderUnrunnable,
    /// The renter's command had ended.
    Finished,
}

impl CloseReason {
    /// True if the host gave the rental up.
    pub const fn given_by_host(self) -> bool {
        self.is_refusal() || matches!(self, Self::HostFault | Self::HostMaintenance)
    }

    /// True if the rental ended by an act of the host's.
    pub const fn is_by_host(self) -> bool {
        self.given_by_host() || matches!(self, Self::Finished)
    }

    /// True if the host refused the order before the start; that counts as a refusal, and neither for nor against it.
    pub const fn is_refusal(self) -> bool {
        matches!(self, Self::OrderRefused | Self::OrderUndelivered | Self::OrderUnreadable | Self::OrderUnrunnable)
    }

    /// True if whoever ended the rental gets no tip: they did so in their own interest. That of a finished one is for
    /// whoever closes its account.
    pub const fn forfeits_tip(self) -> bool {
        self.given_by_host() || matches!(self, Self::Outbid | Self::Finished)
    }

    /// True if the holdback goes to the renter and the listing counts a failure.
    pub const fn host_at_fault(self) -> bool {
        matches!(self, Self::HostFault | Self::HostMaintenance | Self::ProvisionTimeout | Self::HostOffline)
    }

    /// True if the listing counts a rental that ended well after `used` seconds: its paid time ran out, or it was cut
    /// short and had run for `least` seconds, as a rating takes. Otherwise a host could count rentals of a moment.
    pub const fn is_completion(self, used: u32, least: u32) -> bool {
        match self {
            Self::Expired => true,
            Self::Stopped | Self::Preempted => used >= least,
            _ => false,
        }
    }
}
